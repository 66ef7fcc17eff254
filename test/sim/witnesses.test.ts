import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isLong } from '../builders/forms.ts';
import { people, makeTransaction, transferJson } from '../builders/chain.ts';
import { SimWorld } from './sim_world.ts';
import { chooseSeeds } from './seeds.ts';

for (const seed of chooseSeeds(1, ...(isLong ? [2, 3] : []))) {
  test(`nine witnesses share a chain, lose no slot, and a transaction posted anywhere is in a block (seed ${seed})`, () => {
    const world = new SimWorld({ seed, witnesses: 9, lossPercent: 1 });
    const nodes = world.populate((index) => ((index * 397) % 1000) - 500);
    const follower = world.add({ name: 'follower' });
    world.run(10);
    const start = follower.chain.head;
    for (let round = 0; round < 20; round++) {
      const transfer = transferJson('alice', 'bob', 1000 + round, `round ${round}`);
      const at = nodes[round % 9] ?? assert.fail();
      at.post(
        makeTransaction(at.chain, world.parameters, [transfer], [people[0]], { expiration: at.chain.head.time + 300 }),
      );
      world.run(3);
    }
    world.run(6);
    world.assertTogether();
    assert(
      follower.chain.head.number - start.number >= 20,
      `${follower.chain.head.number - start.number} blocks in 66 s`,
    );
    assert(follower.chain.head.lastIrreversible > start.number);
    const sent: string[] = [];
    for (let number = start.number; number <= follower.chain.head.number; number++)
      for (const { transaction } of follower.chain.block(number)?.transactions ?? [])
        sent.push(...transaction.operations.map(({ kind }) => kind.name));
    assert.equal(sent.filter((kind) => kind === 'transfer').length, 20);
  });
}

for (const seed of chooseSeeds(4)) {
  test(`what was posted at a node that nobody reached is in a block once somebody does, whoever has started again meanwhile (seed ${seed})`, () => {
    const world = new SimWorld({ seed, witnesses: 5 });
    const nodes = world.populate();
    const follower = world.add({ name: 'follower' });
    world.run(10);
    world.part([follower], nodes);
    const { head } = follower.chain;
    const posted = makeTransaction(
      follower.chain,
      world.parameters,
      [transferJson('alice', 'bob', 1000, 'alone')],
      [people[0]],
      {
        expiration: head.time + 600,
      },
    );
    follower.post(posted);
    world.run(20);
    for (const node of nodes) {
      node.kill();
      node.restart();
    }
    world.run(10);
    world.heal();
    world.run(90);
    world.assertTogether();
    let found = 0;
    for (let number = head.number; number <= follower.chain.head.number; number++)
      found += follower.chain.block(number)?.transactions.filter(({ id }) => id === posted.id).length ?? 0;
    assert.equal(found, 1);
  });
}
