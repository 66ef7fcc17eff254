import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hasHardfork, type Hardfork } from '../../src/state/hardforks.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { openChain } from '../builders/chain.ts';
import { isLong } from '../builders/forms.ts';
import { appliedHardforks, nextHardfork } from '../builders/planted_hardfork.ts';
import { copyBlock } from '../builders/parted_witnesses.ts';
import { chooseSeeds } from './seeds.ts';
import type { SimNode } from './sim_node.ts';
import { SimWorld } from './sim_world.ts';

// A hardfork on a live chain with finality; with real processes it is test/outside/hardfork_rehearsal.long.test.ts.

const SLOT_SECONDS = 3;
const [WITNESSES, REQUIRED] = [7, 5];
const ROUND_SECONDS = WITNESSES * SLOT_SECONDS;

const finalNumber = ({ chain }: SimNode): number => chain.head.lastIrreversible;
const headNumber = ({ chain }: SimNode): number => chain.head.number;

/** The block with which a new node that knows the hardfork applies it. */
function activationBlock({ chain }: SimNode, parameters: ChainParameters, hardfork: Hardfork): number {
  const replayed = openChain(parameters);
  while (!hasHardfork(replayed.committed, hardfork))
    replayed.push(copyBlock(parameters, chain.block(replayed.head.number + 1) ?? assert.fail('it was not applied')));
  return replayed.head.number;
}

/** A chain whose program gets one more hardfork, which may be applied `seconds` from now on. */
function liveChain(seed: number, seconds: number) {
  const world = new SimWorld({ seed, witnesses: WITNESSES, hasFinality: true, hardforkVotes: REQUIRED });
  const nodes = world.populate();
  world.run(2 * SLOT_SECONDS);
  const hardfork = nextHardfork(Math.trunc(world.heap.nowMs / 1000) + seconds);
  return { world, nodes, hardfork, next: [...appliedHardforks, hardfork] };
}

for (const seed of chooseSeeds(1, ...(isLong ? [2, 3, 4] : [])))
  test(`four of seven activate nothing; a fifth does so at once everywhere, blocks go on being final, and who is late catches up (seed ${seed})`, () => {
    const { world, nodes, hardfork, next } = liveChain(seed, ROUND_SECONDS);
    const [upgraded, old] = [nodes.slice(0, REQUIRED), nodes.slice(REQUIRED)];
    for (const node of upgraded.slice(1)) node.upgrade(next);
    world.run(2 * ROUND_SECONDS);
    world.assertTogether();
    assert.ok(nodes.every(({ chain }) => chain.head.time > hardfork.time && !hasHardfork(chain.committed, hardfork)));

    upgraded[0]?.upgrade(next);
    world.run(2 * ROUND_SECONDS);
    world.assertTogether(upgraded);
    world.run(3 * SLOT_SECONDS);
    for (const node of upgraded) {
      assert.ok(hasHardfork(node.chain.committed, hardfork));
      assert.ok(
        finalNumber(node) >= headNumber(node) - 2,
        `block ${finalNumber(node)} of ${headNumber(node)} is final`,
      );
    }
    const activation = activationBlock(
      upgraded[0] ?? assert.fail(),
      { ...world.parameters, hardforks: next },
      hardfork,
    );
    for (const node of old) {
      assert.ok(!node.isRunning, 'it ends before the block of the activation');
      assert.ok(headNumber(node) < activation && !hasHardfork(node.chain.committed, hardfork));
    }

    for (const node of old) node.upgrade(next);
    world.run(ROUND_SECONDS);
    world.assertTogether();
    assert.ok(nodes.every((node) => finalNumber(node) >= headNumber(node) - 2));
  });
