import assert from 'node:assert/strict';
import { test } from 'node:test';

import { defaultCacheBytes } from '../../src/settings/store_settings.ts';

const GIBIBYTE = 1024 ** 3;

test('the cache of the database is an eighth of the memory, within its bounds', () => {
  const sizes = [1, 4, 6, 8, 64].map((gibibytes) => defaultCacheBytes(gibibytes * GIBIBYTE) / GIBIBYTE);
  assert.deepEqual(sizes, [0.25, 0.5, 0.625, 0.625, 0.625]);
});
