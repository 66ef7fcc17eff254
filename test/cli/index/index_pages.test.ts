import assert from 'node:assert/strict';
import { get } from 'node:http';
import { test } from 'node:test';
import type { Clock } from '../../../src/base/clock.ts';
import { indexMetrics } from '../../../src/cli/index/index_metrics.ts';
import { openIndexPages } from '../../../src/cli/index/index_pages.ts';
import { IndexRecord } from '../../../src/sinks/postgres/index_record.ts';
import { systemClock } from '../../../src/base/clock.ts';

const START_MS = Date.parse('2026-01-01T00:00:30Z');

/** A record whose time is told by the test. */
function timed(): { readonly record: IndexRecord; pass(ms: number): void } {
  let elapsedMs = 0;
  const clock: Clock = { nowMs: () => START_MS + elapsedMs, elapsedMs: () => elapsedMs, after: () => () => undefined };
  return { record: new IndexRecord(clock), pass: (ms) => void (elapsedMs += ms) };
}

const source = { head: 12, problem: undefined };
const written = { blocks: 10, operations: 30, rows: 600, undone: 0 };
const place = { block: 10, irreversible: 4, timestamp: '2026-01-01T00:00:27' };

/** Returns the page of these figures: status and body. */
async function served(
  record: IndexRecord,
  path: string,
  from: Parameters<IndexRecord['figures']>[0] = source,
): Promise<[number, unknown]> {
  const pages = await openIndexPages(
    { host: '127.0.0.1', port: 0, allowedHosts: ['index'] },
    () => record.figures(from),
    systemClock,
  );
  try {
    const answer = await fetch(`http://127.0.0.1:${pages.port}${path}`);
    return [answer.status, await answer.json()];
  } finally {
    await pages.close();
  }
}

test('an index tells how far it is behind, and how many rows a second it has written in the last minute', () => {
  const { record, pass } = timed();
  pass(10_000);
  record.wrote(written);
  record.stands(place);
  assert.deepEqual(
    { ...record.figures(source), lastError: undefined },
    {
      ...{
        block: 10,
        irreversible: 4,
        sourceBlock: 12,
        lagBlocks: 2,
        lagSeconds: 13,
        blocks: 10,
        operations: 30,
        rows: 600,
        rowsPerSecond: 60,
      },
      ...{ undone: 0, retries: 0, unreadableRecords: 0, problem: undefined, lastError: undefined },
    },
  );
  pass(50_000);
  assert.equal(record.figures(source).rowsPerSecond, 10);
  pass(60_000);
  assert.equal(record.figures(source).rowsPerSecond, 0);
});

test('an error is said once in ten minutes, and is a problem until something is written; an unreadable record stays one until then', () => {
  const { record, pass } = timed();
  assert.equal(record.failed('no server', false), true);
  assert.equal(record.failed('no server', false), false);
  record.begins();
  assert.equal(record.figures(source).problem, undefined);
  assert.equal(record.failed('block 7: not readable', true), true);
  record.begins();
  pass(599_999);
  assert.equal(record.failed('block 7: not readable', true), false);
  assert.equal(record.figures(source).problem, 'block 7: not readable');
  pass(1);
  assert.equal(record.failed('block 7: not readable', true), true);
  record.wrote(written);
  const { problem, retries, unreadableRecords, lastError } = record.figures(source);
  assert.deepEqual([problem, retries, unreadableRecords, lastError?.text], [undefined, 5, 3, 'block 7: not readable']);
});

test('health is an error while something prevents indexing, and readiness while the index is behind', async () => {
  const { record } = timed();
  assert.equal((await served(record, '/health'))[0], 200);
  assert.equal((await served(record, '/readyz'))[0], 503);
  record.wrote(written);
  record.stands(place);
  assert.equal((await served(record, '/readyz'))[0], 200);
  assert.equal((await served(record, '/readyz', { head: 31, problem: undefined }))[0], 503);
  const [status, body] = await served(record, '/health', { head: 12, problem: 'no blocks from the node: it is away' });
  assert.equal(status, 503);
  assert.deepEqual(body, {
    ...{
      status: 'error',
      problems: ['no blocks from the node: it is away'],
      block_number: 10,
      irreversible_block_number: 4,
    },
    ...{
      source_block_number: 12,
      blocks_behind: 2,
      last_block_age_seconds: 3,
      rows_per_second: 0,
      retries: 0,
      unreadable_records: 0,
    },
  });
  record.failed('block 11, op_in_block 2 (transfer), memo: no', true);
  const [, error] = await served(record, '/health');
  assert.match(
    JSON.stringify(error),
    /"unreadable_records":1,"last_error":"block 11, op_in_block 2 \(transfer\), memo: no","last_error_time":"2026-/,
  );
  assert.deepEqual(await served(record, '/livez'), [200, { status: 'alive' }]);
});

test('lag, rows, the last error and unreadable records are metrics', async () => {
  const { record } = timed();
  record.wrote(written);
  record.stands(place);
  record.failed('block 11: no', true);
  const text = await indexMetrics(() => record.figures(source)).text();
  for (const line of [
    'pharos_index_block_number 10',
    'pharos_index_irreversible_block_number 4',
    'pharos_index_lag_blocks 2',
    'pharos_index_lag_seconds 3',
    'pharos_index_working 0',
    'pharos_index_rows_total 600',
    'pharos_index_operations_total 30',
    'pharos_index_blocks_total 10',
    'pharos_index_undone_total 0',
    'pharos_index_retries_total 1',
    'pharos_index_unreadable_total 1',
    `pharos_index_last_error_timestamp_seconds ${START_MS / 1000}`,
  ])
    assert.ok(text.includes(`\n${line}\n`), `${line} in\n${text}`);
});

test('the pages answer under the names that are allowed, and under no other', async () => {
  const { record } = timed();
  const pages = await openIndexPages(
    { host: '127.0.0.1', port: 0, allowedHosts: ['index'] },
    () => record.figures(source),
    systemClock,
  );
  const status = async (host: string): Promise<number | undefined> =>
    await new Promise((resolve, reject) => {
      get({ port: pages.port, path: '/livez', headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).once('error', reject);
    });
  try {
    assert.deepEqual([await status('index:9192'), await status('127.0.0.1'), await status('other')], [200, 200, 403]);
  } finally {
    await pages.close();
  }
});
