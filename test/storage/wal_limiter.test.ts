import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Column, WriteBatch } from '../../src/storage/key_value.ts';
import { WalLimiter } from '../../src/storage/wal_limiter.ts';

const buffers = { state: 100, order: 50, history: 100, block: 100 };

test('nothing is due before a log is full, and then once', () => {
  const bound = new WalLimiter(1000, buffers);
  bound.count(written('state', 989));
  assert.deepEqual([...bound.due()], []);
  bound.count(written('state', 0));
  assert.equal([...bound.due()].length, 3);
  assert.deepEqual([...bound.due()], [], 'the count begins anew');
});

test('what nobody has asked for is overdue when the log is a quarter longer', () => {
  const bound = new WalLimiter(1000, buffers);
  bound.count(written('state', 1230));
  assert.equal(bound.isOverdue, false);
  bound.count(written('state', 0));
  assert.equal(bound.isOverdue, true);
  assert.equal([...bound.due()].length, 3);
  assert.equal(bound.isOverdue, false);
});

test('columns that were written less than two buffers are filled up in two rounds, and emptied again', () => {
  const bound = new WalLimiter(1000, buffers);
  bound.count(written('state', 800));
  bound.count(written('order', 89));
  bound.count(written('history', 190));
  const rounds = [...bound.due()].map(sizes);
  const filled = { order: 1, block: 100 };
  assert.deepEqual(rounds, [filled, filled, { order: undefined, block: undefined }]);
});

function written(column: Column, bytes: number): Record<Column, number> {
  return { state: 0, order: 0, history: 0, block: 0, [column]: 10 + bytes };
}

function sizes({ changes }: WriteBatch): Record<string, number | undefined> {
  return Object.fromEntries(changes.map(({ column, value }) => [column, value?.length]));
}
