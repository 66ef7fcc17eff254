import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../src/base/refusal.ts';
import { histogramMaker } from '../../src/load_test/latency_histogram.ts';
import { plainTransfer } from '../../src/load_test/mix.ts';
import { Tally } from '../../src/load_test/tally.ts';
import type { TrafficPost } from '../../src/load_test/traffic_post.ts';

const post: TrafficPost = { body: new Uint8Array(0), count: 1, form: 0, ids: new Uint8Array(20), expiration: 0 };
const forms = [
  { name: 'transfers', asks: plainTransfer },
  { name: 'in a block', asks: { ...plainTransfer, waitFor: 'block' } },
  { name: 'final', asks: { ...plainTransfer, waitFor: 'final' } },
  { name: 'reads', asks: { method: 'a.b', params: {} } },
] as const;
const moments = { dueMs: 0, sentMs: 0, answeredMs: 1 };

async function countReasons(messages: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const tally = new Tally(await histogramMaker(), forms, () => {});
  for (const message of messages)
    tally.answered(post, moments, { node: 0, outcomes: [{ refusal: new Refusal('too_many_pending', message) }] });
  return tally.refused;
}

test('a reason is one, whatever numbers and ids stand in it, and another account’s is another', async () => {
  const waiting = Array.from(
    { length: 300 },
    (_, number) => `what waits has ${5_240_000 + number} bytes; try in ${number / 10} s`,
  );
  assert.deepEqual([...(await countReasons(waiting))], [['too_many_pending: what waits has N bytes; try in N s', 300]]);
  const ids = ['ab', 'cd'].map((pair) => `the transaction ${pair.repeat(20)} is here`);
  assert.deepEqual([...(await countReasons(ids)).values()], [2]);
  assert.equal((await countReasons(['alice has no money', 'bob has no money', 'account9 has no money'])).size, 3);
});

test('a node whose every word is another does not fill the memory', async () => {
  const letters = (number: number): string =>
    number.toString(26).replaceAll(/\d/g, (digit) => 'zyxwvutsrq'[Number(digit)] ?? '');
  const reasons = await countReasons(Array.from({ length: 1000 }, (_, number) => `reason ${letters(number)}`));
  assert.equal(reasons.size, 201);
  assert.equal(
    [...reasons.values()].reduce((sum, count) => sum + count),
    1000,
  );
  assert.ok((reasons.get('other reasons') ?? 0) > 0);
});

test('refusals are counted and listed by what cures them: time, another node, or nothing', async () => {
  const tally = new Tally(await histogramMaker(), forms, () => {});
  for (const code of ['insufficient_balance', 'stopping', 'too_busy', 'connection', 'too_busy', 'unknown_to_any_table'])
    tally.answered(post, moments, { node: 0, outcomes: [{ refusal: new Refusal(code, 'it is so') }] });
  assert.deepEqual(tally.recoveries, { wait: 2, next_node: 2, final: 2 });
  assert.deepEqual(
    [...tally.refused].map(([reason, times]) => `${times} ${reason.split(':')[0] ?? ''}`),
    ['2 too_busy', '1 stopping', '1 connection', '1 insufficient_balance', '1 unknown_to_any_table'],
  );
});

test('what waits for a block or until it is final has a latency of its own, and does not slow that of acceptance', async () => {
  const tally = new Tally(await histogramMaker(), forms, () => {});
  for (const [form, answeredMs] of [10, 2000, 4000, 20].entries())
    tally.answered({ ...post, form }, { ...moments, answeredMs }, { node: 0, outcomes: [{ result: {} }] });
  const { accepted, block, final } = tally.latencies;
  assert.deepEqual([accepted.count, block.count, final.count], [2, 1, 1]);
  assert.ok(accepted.maxMs < 100 && block.maxMs >= 1900 && block.maxMs <= 2100 && final.maxMs >= 3900);
});
