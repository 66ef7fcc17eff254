import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdBuckets } from '../../src/load_test/id_buckets.ts';
import { Timeline } from '../../src/load_test/timeline.ts';
import { blockId } from './told_chain.ts';

test('the course of six hours has as many points as a chart needs, and nothing is missing in it', () => {
  const timeline = new Timeline();
  const rest = {
    refused: 0,
    includedInBlocks: 2,
    backlog: 3,
    pending: 4,
    p50Ms: 1,
    p999Ms: 3,
    nodeCpu: 0.5,
    ownCpu: 0.1,
    nodeBytes: 5,
    ownBytes: 6,
  };
  for (let second = 1; second <= 21_600; second++)
    timeline.add({ second, sent: 10, answered: 9, p99Ms: second === 10_000 ? 700 : 2, ...rest });
  assert.ok(timeline.points.length <= 720);
  assert.equal(
    timeline.points.reduce((sum, { answered }) => sum + answered, 0),
    21_600 * 9,
  );
  assert.equal(Math.max(...timeline.points.map(({ p99Ms }) => p99Ms ?? 0)), 700);
  assert.equal(timeline.points.at(-1)?.second, 21_600);
});

test('what is acknowledged lies on the disk, each id once and with its numbers', () => {
  const ids = new IdBuckets();
  try {
    for (let number = 0; number < 100_000; number++) ids.add(blockId(number), number, number * 3, 2 ** 32 - 1 - number);
    assert.equal(ids.count, 100_000);
    const found = new Map([...ids.buckets()].flat().map(([id, ...numbers]) => [id, numbers]));
    assert.equal(found.size, 100_000);
    for (const number of [0, 1, 4711, 99_999])
      assert.deepEqual(found.get(blockId(number)), [number, number * 3, 2 ** 32 - 1 - number]);
  } finally {
    ids.remove();
  }
});
