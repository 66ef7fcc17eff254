import assert from 'node:assert/strict';
import { test } from 'node:test';

import { shuffled } from '../../../src/chain/apply/shuffle.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test('the order of a round is the recorded one for a time and a number of witnesses', () => {
  assert.deepEqual(shuffled(numbers(5), 1_600_000_002), [4, 1, 2, 0, 3]);
  assert.deepEqual(shuffled(numbers(5), 1_700_000_001), [3, 0, 1, 4, 2]);
  assert.deepEqual(shuffled(numbers(10), 1_600_000_002), [4, 3, 2, 7, 6, 9, 8, 1, 5, 0]);
  const round = [
    25, 3, 12, 14, 19, 46, 10, 42, 48, 41, 22, 5, 50, 36, 0, 9, 11, 13, 33, 27, 44, 37, 30, 8, 49, 20, 1, 18, 32, 15,
    16, 47, 43, 29, 23, 17, 28, 24, 31, 4, 40, 35, 6, 38, 26, 39, 21, 2, 45, 34, 7,
  ];
  assert.deepEqual(shuffled(numbers(51), 1_600_000_002), round);
  assert.deepEqual(shuffled([], 1), []);
});
