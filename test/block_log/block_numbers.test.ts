import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseBlockNumbers } from '../../src/block_log/block_numbers.ts';

test('numbers and ranges are written out in their order', () => {
  assert.deepEqual(parseBlockNumbers('7', '--stop-at'), [7]);
  assert.deepEqual(parseBlockNumbers('1-4,10, 8-8 ,3', '--dump-state'), [1, 2, 3, 4, 10, 8, 3]);
});

test('what is no block number, or too many of them, is refused with the text', () => {
  for (const text of ['', '0', '-1', '1-', '4-3', 'a', '1,,2', '1.5', '0-5', '1-99999999999', '1-4000000000'])
    assert.throws(() => parseBlockNumbers(text, '--dump-state'), {
      code: 'configuration',
      message: `--dump-state: block numbers such as 1-200,250 expected, got "${text}"`,
    });
});
