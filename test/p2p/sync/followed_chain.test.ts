import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FollowedChain } from '../../../src/p2p/sync/followed_chain.ts';
import { madeUpId, StillChain } from '../../builders/still_chain.ts';

test('a node that is in step with chosen peers for a minute has followed the chain, and keeps its last irreversible block', () => {
  const chain = new StillChain(100);
  const followed = new FollowedChain(chain, undefined);
  for (const [isInStep, second] of [
    [true, 0],
    [true, 59],
    [false, 60],
    [true, 61],
    [true, 120],
  ] as const) {
    followed.look(isInStep, second * 1000);
    assert.deepEqual([followed.block, followed.has(1)], [undefined, false], `second ${second}`);
  }
  followed.look(true, 121_000);
  assert.deepEqual(followed.block, { number: 90, id: madeUpId(90) });
  assert(followed.has(1_000_000));
});

test('what an earlier run has followed counts up to an hour behind it, and only as long as it is of this chain', () => {
  const chain = new StillChain(5000);
  const kept = { number: 1000, id: madeUpId(1000) };
  const followed = new FollowedChain(chain, kept);
  assert.deepEqual(
    [followed.block, followed.has(1000), followed.has(2200), followed.has(2201)],
    [kept, true, true, false],
  );
  for (const other of [
    { number: 1000, id: madeUpId(1000, 1) },
    { number: 4995, id: madeUpId(4995) },
  ])
    assert.deepEqual(
      [new FollowedChain(chain, other).block, new FollowedChain(chain, other).has(1)],
      [undefined, false],
    );
});
