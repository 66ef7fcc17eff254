import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isLong } from '../builders/forms.ts';
import { chooseSeeds } from './seeds.ts';
import type { SimNode } from './sim_node.ts';
import { SimWorld } from './sim_world.ts';

// Witnesses vote with the real code over real messages: what they make final, how soon, and after what.

const SLOT_SECONDS = 3;
const WITNESSES = 7;

function votingWorld(seed: number): { readonly world: SimWorld; readonly nodes: SimNode[] } {
  const world = new SimWorld({ seed, witnesses: WITNESSES, hasFinality: true });
  return { world, nodes: world.populate((index) => ((index * 397) % 1000) - 500) };
}

const finalNumber = ({ chain }: SimNode): number => chain.head.lastIrreversible;
const lowestFinal = (nodes: readonly SimNode[]): number => Math.min(...nodes.map(finalNumber));
const highestHead = (nodes: readonly SimNode[]): number => Math.max(...nodes.map(({ chain }) => chain.head.number));

for (const seed of chooseSeeds(1, ...(isLong ? [2, 3] : []))) {
  test(`seven witnesses make each block final before the next slot, for a follower too (seed ${seed})`, () => {
    const { world, nodes } = votingWorld(seed);
    const follower = world.add({ name: 'follower' });
    world.run(20);
    const before = lowestFinal(nodes);
    world.checks.finalTimesMs.length = 0;
    world.run(20 * SLOT_SECONDS);
    world.assertTogether();
    assert.ok(
      lowestFinal([...nodes, follower]) >= highestHead(nodes) - 1,
      `${lowestFinal([...nodes, follower])} of ${highestHead(nodes)}`,
    );
    assert.ok(lowestFinal(nodes) - before >= 19, `${lowestFinal(nodes) - before} blocks`);
    for (const afterMs of world.checks.finalTimesMs) assert.ok(afterMs < SLOT_SECONDS * 1000, `${afterMs} ms`);
  });
}

for (const seed of chooseSeeds(1)) {
  test(`while no side of a partition has five of seven witnesses nothing is final, and soon after it heals all is (seed ${seed})`, () => {
    const { world, nodes } = votingWorld(seed);
    world.run(20);
    world.part(nodes.slice(0, 4), nodes.slice(4));
    world.run(2 * SLOT_SECONDS);
    const stood = nodes.map(finalNumber);
    world.run(10 * SLOT_SECONDS);
    assert.deepEqual(nodes.map(finalNumber), stood);
    world.heal();
    world.run(20 * SLOT_SECONDS);
    world.assertTogether();
    assert.ok(
      lowestFinal(nodes) >= highestHead(nodes) - 1,
      `${nodes.map(finalNumber).join(', ')} of ${highestHead(nodes)}`,
    );
  });
}

for (const seed of chooseSeeds(1)) {
  test(`nodes that are killed and start again go on voting, and two that are gone stop nothing (seed ${seed})`, () => {
    const { world, nodes } = votingWorld(seed);
    world.run(20);
    for (let round = 0; round < 3; round++) {
      const gone = [nodes[(2 * round) % WITNESSES], nodes[(2 * round + 1) % WITNESSES]].filter(
        (node) => node !== undefined,
      );
      for (const node of gone) node.kill();
      const before = Math.max(...nodes.map(finalNumber));
      world.run(5 * SLOT_SECONDS);
      assert.ok(Math.max(...nodes.map(finalNumber)) > before, 'nothing was final without two of seven');
      for (const node of gone) node.restart();
      world.run(5 * SLOT_SECONDS);
    }
    world.run(10 * SLOT_SECONDS);
    world.assertTogether();
    assert.ok(
      lowestFinal(nodes) >= highestHead(nodes) - 1,
      `${nodes.map(finalNumber).join(', ')} of ${highestHead(nodes)}`,
    );
    for (const node of nodes) assert.deepEqual(node.failures, []);
  });
}

for (const seed of chooseSeeds(1)) {
  test(`a witness that has lost its journal contradicts none of its votes, and votes again some rounds later (seed ${seed})`, () => {
    const { world, nodes } = votingWorld(seed);
    world.run(20);
    // The last one has dialled others, whose clocks confirm when its new journal begins.
    const loser = nodes.at(-1) ?? assert.fail();
    loser.kill();
    loser.options.votes?.lose();
    world.run(SLOT_SECONDS);
    loser.restart();
    // Its journal is whole for the first epoch that begins more than ten slots behind it.
    world.run((10 + 2 * WITNESSES) * SLOT_SECONDS);
    assert.deepEqual(
      world.checks.lines.filter((line) => line.includes('contradict')),
      [],
    );
    for (const node of nodes.slice(0, 2)) node.kill();
    const before = finalNumber(loser);
    world.run(10 * SLOT_SECONDS);
    assert.ok(finalNumber(loser) > before + 4, 'without its vote nothing is final any more');
  });
}
