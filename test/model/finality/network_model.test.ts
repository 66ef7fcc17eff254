import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RandomSource } from '../../builders/random_source.ts';
import { formSize } from '../../builders/forms.ts';
import {
  FinalityNetwork,
  networkRules,
  SLOT_MS,
  type FinalBlock,
  type NetworkOptions,
  type NetworkRules,
} from './network_model.ts';

// Finality with epochs, clocks, liars and partitions: no two final blocks, and new ones soon after a partition heals.

const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 2, long: 60 });
/** Partitions come and go, and nodes change sides, for this long. */
const PARTED_SLOTS = 60;
/** Within four slots after a partition heals, and one more for each epoch that stood; a node's clock may hide one. */
const HEALED_SLOTS = 14;

const quiet: NetworkOptions = { nodes: 7, seed: 1, liars: 0, clockErrorMs: 0, sideOf: () => 0 };

for (const nodes of [7, 51])
  test(`${nodes} honest nodes make each block final before the next one is due`, () => {
    const network = new FinalityNetwork({ ...quiet, nodes, clockErrorMs: 500 });
    network.run(60);
    assert.equal(network.conflict, undefined);
    for (const { number, afterMs } of network.finals)
      assert.ok(afterMs < SLOT_MS, `block ${number} was final after ${afterMs} ms`);
    for (const node of network.nodes) assert.ok(node.finalNumber >= network.finals.length - 1, `${node.finalNumber}`);
  });

for (const liars of [0, 2])
  test(`seven nodes, ${liars} of whom lie, make no two blocks final in partitions that change, and the next one within four slots after`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { network, firstAfter } = healed(seed, liars, networkRules);
      assert.equal(network.conflict, undefined, `seed ${seed}`);
      assert.ok(firstAfter !== undefined, `seed ${seed}: nothing was final again`);
      const stood = Math.ceil(PARTED_SLOTS / 7);
      assert.ok(
        firstAfter.atMs <= (PARTED_SLOTS + 1 + 4 + stood) * SLOT_MS,
        `seed ${seed}: after ${firstAfter.atMs} ms`,
      );
    }
  });

test('of 51 nodes 27 change sides once, in groups of 14 and 13: no two blocks are final', () => {
  // Sides of 12 and 39, then of 26 and 25, then of 39 and 12: the 27 follow one branch, then the other.
  const nodeSide = (node: number, slot: number): number => {
    if (slot < 5 || slot >= 83) return 0;
    if (node < 12) return 0;
    if (node < 24) return 1;
    const changes = node < 38 ? 31 : 44;
    return slot < changes ? 0 : 1;
  };
  const network = new FinalityNetwork({ ...quiet, nodes: 51, sideOf: nodeSide });
  network.run(95);
  assert.equal(network.conflict, undefined);
  const last = network.finals.at(-1);
  assert.ok(last !== undefined && last.atMs > 83 * SLOT_MS, 'nothing was final after the sides had met');
});

test('with votes only for heads of the epoch itself, nothing becomes final any more after some partitions', () => {
  const stuck = [1, 2, 3, 4, 5, 6].some(
    (seed) => healed(seed, 2, { ...networkRules, votesForBoundary: false }).firstAfter === undefined,
  );
  assert.ok(stuck, 'each network went on');
});

interface Healed {
  readonly network: FinalityNetwork;
  readonly firstAfter: FinalBlock | undefined;
}

/** A network whose sides change by chance, and that is whole again afterwards. */
function healed(seed: number, liars: number, rules: NetworkRules): Healed {
  const sides = changingSides(seed, quiet.nodes);
  const nodeSide = (node: number, slot: number): number => sides[slot]?.[node] ?? 0;
  const network = new FinalityNetwork({ ...quiet, seed, liars, clockErrorMs: 500, sideOf: nodeSide, rules });
  network.run(PARTED_SLOTS + 1 + HEALED_SLOTS);
  return { network, firstAfter: network.finals.find(({ atMs }) => atMs > (PARTED_SLOTS + 1) * SLOT_MS) };
}

function changingSides(seed: number, nodes: number): number[][] {
  const randomSource = new RandomSource(seed + 77);
  let sides = Array<number>(nodes).fill(0);
  let isParted = false;
  return Array.from({ length: PARTED_SLOTS + 1 }, () => {
    if (randomSource.chance(10)) {
      isParted = !isParted;
      sides = sides.map(() => (isParted && randomSource.chance(50) ? 1 : 0));
    } else if (isParted) sides = sides.map((side) => (randomSource.chance(5) ? 1 - side : side));
    return sides;
  });
}
