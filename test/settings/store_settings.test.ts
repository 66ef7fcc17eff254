import assert from 'node:assert/strict';
import { test } from 'node:test';

import { defaultCacheBytes } from '../../src/settings/store_settings.ts';

const MEBIBYTE = 1024 ** 2;

test('the cache of the database is an eighth of the memory, within its bounds', () => {
  const sizes = [1, 4, 5, 6, 64].map((gibibytes) => defaultCacheBytes(gibibytes * 1024 * MEBIBYTE) / MEBIBYTE);
  assert.deepEqual(sizes, [256, 512, 640, 720, 720]);
});
