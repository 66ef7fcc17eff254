import assert from 'node:assert/strict';
import { test } from 'node:test';

import { heads, SEEDS, started } from './intrusion.ts';

for (const seed of SEEDS) {
  test(`a node whose clock is set back by minutes blames nobody, and goes on when it is right again (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const follower = world.add({ name: 'late' });
    world.run(12);
    const before = Math.min(...heads(nodes));
    for (const byMs of [40_000, 300_000]) {
      follower.clockOffsetMs = -byMs;
      // The checks of the world ask that no honest node lets another one go.
      world.run(60);
      assert(follower.network.connections.live.length >= 4, 'it has its peers');
      assert.deepEqual(follower.network.connections.bans.list(0), [], 'nobody is banned');
      follower.clockOffsetMs = 0;
      world.run(30);
      world.assertTogether();
    }
    assert(Math.min(...heads(nodes)) >= before + 55, 'the others go on');
  });
}
