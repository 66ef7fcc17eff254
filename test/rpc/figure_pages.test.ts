import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Page } from '../../src/jsonrpc/http/http_server.ts';
import { jsonPage } from '../../src/jsonrpc/http/json_page.ts';
import { withTables } from '../../src/pages/docs/tables.ts';
import { figurePage, figurePages, figureTable, type FigureAnswers } from '../../src/rpc/figure_pages.ts';

const ID = '0123456789'.repeat(4);
const DOCUMENT = new URL('../../../src/pages/reference/rpc_conventions.md', import.meta.url);

/** Answers that name the page and the parts of its path. */
function answers(without?: string): FigureAnswers {
  const answer = (name: string) =>
    name === without ? undefined : (...parts: string[]): Page => jsonPage([name, ...parts].join(' ').trim());
  return {
    blocks: answer('blocks'),
    transactions: answer('transactions'),
    pending: answer('pending'),
    finality: answer('finality'),
    missedWeek: answer('missedWeek'),
    lastHour: answer('lastHour'),
  };
}

async function ask(path: string, without?: string): Promise<readonly [status: number, body: string]> {
  const { status, body } = await figurePage(path, answers(without));
  return [status, String(body)];
}

/** A path of a page, with parts as the docs name them. */
function samplePath(path: string): string {
  return path
    .replace('FIRST', '3')
    .replace('LAST', '17')
    .replace('DIGITS', '01234567')
    .replace('ID', ID)
    .replace('/N.', '/5.');
}

test('each page of the table is answered with the parts of its path', async () => {
  const told = await Promise.all(figurePages.map(async ({ path }) => (await ask(samplePath(path)))[1]));
  assert.deepEqual(told, [
    'blocks 3 17',
    'transactions 01234567',
    `pending ${ID}`,
    'finality 5',
    'missedWeek',
    'lastHour',
  ]);
});

test('the reference has the table of the pages, and names each of them', () => {
  const page = withTables(readFileSync(DOCUMENT, 'utf8'), { figures: figureTable() });
  for (const { path, answer } of figurePages) assert.ok(page.includes(`\n| \`${path}\` | ${answer} |\n`), path);
});

test('a chain whose witnesses do not vote says so in place of a certificate, and what to ask', async () => {
  const [status, reason] = await ask('/chain/finality/1.json', 'finality');
  assert.equal(status, 404);
  assert.match(reason, /do not vote for blocks[^]*last_irreversible_block_num/);
});

test('a path of another form is told the right one, and one of no page what there is', async () => {
  for (const [path, told] of [
    ['/chain/blocks/1.json', /FIRST-LAST\.json: FIRST and LAST are numbers/],
    ['/chain/blocks/11111111111-2.json', /at most ten digits/],
    ['/chain/transactions/0123456.json', /DIGITS are the first 8 to 39/],
    [`/chain/transactions/${ID}.json`, /get_transaction with a whole id/],
    ['/chain/pending/0123.json', /of 40 digits/],
    ['/chain/finality/0.json', /1 or above/],
    ['/chain/finality/00.json', /1 or above/],
    ['/chain/finality/a.json', /number of a block/],
    ['/chain/hour.json', /there are \/chain\/blocks\/FIRST-LAST\.json, .*\/chain\/last_hour\.json$/],
    ['/chain/last_hour.json/', /there are/],
    ['/chain/', /there are/],
  ] as const) {
    const [status, reason] = await ask(path);
    assert.equal(status, 404, path);
    assert.match(reason, told);
    assert.ok(!/POST/.test(reason), 'it is no call');
  }
});
