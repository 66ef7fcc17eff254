import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RememberedIds } from '../../../src/p2p/peers/remembered_ids.ts';

test('the last so many ids are remembered, never more than twice as many, and one that comes again is as new as any', () => {
  const ids = new RememberedIds(10);
  for (let last = 0; last < 200; last++) {
    ids.add('again');
    ids.add(`id ${last}`);
    for (let back = 0; back < 9; back++) assert.equal(ids.has(`id ${last - back}`), last >= back);
    assert(ids.has('again') && !ids.has(`id ${last - 20}`) && !ids.has(`id ${last + 1}`));
  }
});
