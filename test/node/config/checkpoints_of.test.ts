import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkpointsOf } from '../../../src/node/config/checkpoints_of.ts';

const ID = `00000064${'aa'.repeat(16)}`;
const OTHER = `00000064${'bb'.repeat(16)}`;

test('checkpoints are numbers with ids, the same one said twice is one', () => {
  assert.deepEqual(checkpointsOf(undefined), []);
  assert.deepEqual(checkpointsOf([`[100, "${ID}"]`, `[100,"${ID}"]`]), [[100, ID]]);
});

test('checkpoints that contradict each other or themselves are refused, with both values', () => {
  const refused = (texts: readonly string[], message: RegExp): void =>
    assert.throws(() => checkpointsOf(texts), { code: 'configuration', message });
  refused(
    [`[100, "${ID}"]`, `[100, "${OTHER}"]`],
    /block 100 is named twice, as 00000064aa.* and as 00000064bb.*leave out the one that is wrong/,
  );
  refused([`[101, "${ID}"]`], /the id 00000064aa.* is one of block 100, not of block 101/);
  refused(['[100]'], /checkpoint: \[block number, "block id"\] expected, got \[100\]/);
});
