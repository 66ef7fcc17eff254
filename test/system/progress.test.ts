import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeProgress } from '../../src/system/progress.ts';

test('progress is silent where nobody watches', (t) => {
  const write = t.mock.method(process.stderr, 'write', () => true);
  const progress = makeProgress('blocks', 0, 100);
  progress.update(50);
  progress.update(100);
  progress.stop();
  assert.equal(write.mock.callCount(), 0);
});
