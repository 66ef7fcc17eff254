import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../../src/base/refusal.ts';
import { histogramMaker } from '../../../src/node/load/latency_histogram.ts';
import { Tally } from '../../../src/node/load/tally.ts';
import type { TrafficPost } from '../../../src/node/load/traffic_post.ts';

const post: TrafficPost = { body: new Uint8Array(0), count: 1, form: 0, ids: new Uint8Array(20), expiration: 0 };
const moments = { dueMs: 0, sentMs: 0, answeredMs: 1 };

async function reasonsOf(messages: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const tally = new Tally(await histogramMaker(), ['transfers'], () => {});
  for (const message of messages)
    tally.answered(post, moments, { node: 0, outcomes: [{ refusal: new Refusal('too_many_pending', message) }] });
  return tally.refused;
}

test('a reason is one, whatever numbers and ids stand in it, and another account’s is another', async () => {
  const waiting = Array.from({ length: 300 }, (_, number) => `what waits has ${5_240_000 + number} bytes; try in ${number / 10} s`);
  assert.deepEqual([...(await reasonsOf(waiting))], [['too_many_pending: what waits has N bytes; try in N s', 300]]);
  const ids = ['ab', 'cd'].map((pair) => `the transaction ${pair.repeat(20)} is here`);
  assert.deepEqual([...(await reasonsOf(ids)).values()], [2]);
  assert.equal((await reasonsOf(['alice has no money', 'bob has no money', 'account9 has no money'])).size, 3);
});

test('a node whose every word is another does not fill the memory', async () => {
  const letters = (number: number): string => number.toString(26).replaceAll(/\d/g, (digit) => 'zyxwvutsrq'[Number(digit)] ?? '');
  const reasons = await reasonsOf(Array.from({ length: 1000 }, (_, number) => `reason ${letters(number)}`));
  assert.equal(reasons.size, 201);
  assert.equal(
    [...reasons.values()].reduce((sum, count) => sum + count),
    1000,
  );
  assert.ok((reasons.get('other reasons') ?? 0) > 0);
});
