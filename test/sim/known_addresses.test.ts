import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SimWorld } from './sim_world.ts';
import { chooseSeeds } from './seeds.ts';

for (const seed of chooseSeeds(1)) {
  test(`nodes that begin with the addresses of four seeds find each other, and go on when the seeds are gone (seed ${seed})`, () => {
    const world = new SimWorld({ seed, witnesses: 13 });
    const nodes = world.populate();
    world.run(180);
    const [seeds, others] = [nodes.slice(0, 4), nodes.slice(4)];
    for (const node of seeds) node.kill();
    world.run(30);
    const heads = others.map(({ chain }) => chain.head.number);
    assert(
      others.every(({ network }) => network.connections.live.length > 1),
      'each has other peers',
    );
    world.run(30);
    for (const [index, { chain }] of others.entries()) assert(chain.head.number > (heads[index] ?? Infinity));
  });
}
