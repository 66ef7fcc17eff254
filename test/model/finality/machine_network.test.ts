import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RandomSource } from '../../builders/random_source.ts';
import { formSize } from '../../builders/forms.ts';
import { MachineNetwork, SLOT_MS, type FinalBlock, type MachineOptions } from './machine_network.ts';

// Networks of nodes with the real finality machine: no two final blocks, and new ones soon after a partition heals.

const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 2, long: 60 });
/** Partitions come and go, and nodes change sides, for this long. */
const PARTED_SLOTS = 60;
/** Within four slots after a partition heals, and one more for each epoch that stood; a node's clock may hide one. */
const HEALED_SLOTS = 14;

const quiet: MachineOptions = { nodes: 7, seed: 1, liars: 0, clockErrorMs: 0, sideOf: () => 0 };

// Of 51 witnesses 27 change sides once, in groups of 14 and 13, when the other side's branch is the longer one.
const groups = { stayHere: 12, stayThere: 12, goThere: 14, goHere: 13 };
const firstOf = { stayThere: 0, stayHere: 12, goThere: 24, goHere: 38 };
const PARTED_FROM = 5;
const HEALS_AT = 165;

function sideAfterChanges(node: number, slot: number): number {
  if (slot < PARTED_FROM || slot >= HEALS_AT) return 0;
  if (node < firstOf.stayHere) return 1;
  if (node < firstOf.goThere) return 0;
  // The second round begins with slot 102: those who stay there produce, then those who stay here, then both groups on
  // their new sides.
  if (node < firstOf.goHere) return slot < 2 * 51 + groups.stayThere ? 0 : 1;
  return slot < 2 * 51 + groups.stayThere + groups.stayHere ? 1 : 0;
}

const changing: MachineOptions = {
  ...quiet,
  nodes: 51,
  sideOf: sideAfterChanges,
  order: Array.from({ length: 51 }, (_, index) => index),
};

test('of 51 witnesses 27 change sides once: confirmations make two blocks final, and votes do not', () => {
  const confirmed = new MachineNetwork({ ...changing, votes: false });
  confirmed.run(HEALS_AT + 5);
  assert.match(confirmed.conflict ?? 'no conflict', /^two final blocks/);
  const voted = new MachineNetwork(changing);
  voted.run(HEALS_AT + 10);
  assert.equal(voted.conflict, undefined);
  const last = voted.finals.at(-1);
  assert.ok(last !== undefined && last.atMs > HEALS_AT * SLOT_MS, 'nothing was final after the sides had met');
});

for (const { nodes, slots } of [
  { nodes: 7, slots: 60 },
  { nodes: 51, slots: 12 },
])
  test(`${nodes} honest nodes make each block final before the next one is due`, () => {
    const network = new MachineNetwork({ ...quiet, nodes, clockErrorMs: 500 });
    network.run(slots);
    assert.equal(network.conflict, undefined);
    for (const { number, afterMs } of network.finals)
      assert.ok(afterMs < SLOT_MS, `block ${number} was final after ${afterMs} ms`);
    for (const node of network.nodes) assert.ok(node.finalNumber >= network.finals.length - 1, `${node.finalNumber}`);
    assert.ok(network.finals.length >= slots - 1, `${network.finals.length} blocks were final`);
  });

for (const liars of [0, 2])
  test(`seven nodes, ${liars} of whom lie, make no two blocks final in partitions that change, and the next one soon after`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { network, firstAfter } = healed(seed, { liars });
      assert.equal(network.conflict, undefined, `seed ${seed}`);
      assert.ok(firstAfter !== undefined, `seed ${seed}: nothing was final again`);
      const stood = Math.ceil(PARTED_SLOTS / 7);
      assert.ok(
        firstAfter.atMs <= (PARTED_SLOTS + 1 + 4 + stood) * SLOT_MS,
        `seed ${seed}: after ${firstAfter.atMs} ms`,
      );
      for (const node of network.shown) assert.ok(node < liars, `seed ${seed}: node ${node} is honest`);
    }
  });

test('liars that hide their votes, and show certificates to some when a slot begins, stop neither safety nor most blocks of honest nodes', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const network = new MachineNetwork({ ...quiet, seed, liars: 2, hidesVotes: true, clockErrorMs: 500 });
    network.run(PARTED_SLOTS);
    assert.equal(network.conflict, undefined, `seed ${seed}`);
    const moments = new Set(network.finals.map(({ atMs }) => Math.floor(atMs / SLOT_MS)));
    assert.ok(moments.size > PARTED_SLOTS / 2, `seed ${seed}: something was final in ${moments.size} slots`);
  }
});

test('voters of which a third changes with each epoch make no two blocks final in partitions, and the next one soon after', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { network, firstAfter } = healed(seed, { spare: 3 });
    assert.equal(network.conflict, undefined, `seed ${seed}`);
    assert.ok(firstAfter !== undefined, `seed ${seed}: nothing was final again`);
  }
});

test('nodes that stop and start with their journals go on voting where they were', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const network = withRestarts(seed, () => true);
    assert.equal(network.conflict, undefined, `seed ${seed}`);
    const tip = Math.max(...network.nodes.map(({ chain }) => chain.tip.number));
    for (const { index, finalNumber } of network.nodes)
      assert.ok(finalNumber >= tip - 1, `seed ${seed}: node ${index} is at ${finalNumber} of ${tip}`);
  }
});

test('a node that starts without its journal contradicts none of its votes, and votes again in its next whole epoch', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const network = withRestarts(seed, (node) => node !== 0);
    assert.equal(network.conflict, undefined, `seed ${seed}`);
    assert.equal(network.shown.size, 0, `seed ${seed}`);
    const tip = Math.max(...network.nodes.map(({ chain }) => chain.tip.number));
    for (const { index, finalNumber } of network.nodes)
      assert.ok(finalNumber >= tip - 1, `seed ${seed}: node ${index} is at ${finalNumber} of ${tip}`);
  }
});

test('partitions, changing voters, restarts, a liar and a lost journal together make no two blocks final', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const sides = changingSides(seed, quiet.nodes + 2);
    const nodeSide = (node: number, slot: number): number => sides[slot]?.[node] ?? 0;
    const network = withRestarts(seed, (node) => node !== 1, {
      liars: 1,
      hidesVotes: seed % 2 === 0,
      spare: 2,
      sideOf: nodeSide,
    });
    assert.equal(network.conflict, undefined, `seed ${seed}`);
    for (const node of network.shown) assert.equal(node, 0, `seed ${seed}: node ${node} is honest`);
  }
});

const RESTART_SLOTS = 80;

/** A network in which two nodes at a time stop for some slots, in turns, and start with or without their journals. */
function withRestarts(
  seed: number,
  hasJournal: (node: number) => boolean,
  options: Partial<MachineOptions> = {},
): MachineNetwork {
  const network = new MachineNetwork({ ...quiet, seed, clockErrorMs: 500, ...options });
  const randomSource = new RandomSource(seed + 99);
  for (let slot = 5; slot < RESTART_SLOTS - 20; slot += 8)
    for (const node of randomSource.shuffle(network.nodes).slice(0, 2)) {
      const stops = slot * SLOT_MS + randomSource.roll(SLOT_MS);
      network.at(stops, () => node.stop());
      network.at(stops + (1 + randomSource.roll(5)) * SLOT_MS, () => node.start(hasJournal(node.index)));
    }
  network.run(RESTART_SLOTS);
  return network;
}

interface Healed {
  readonly network: MachineNetwork;
  readonly firstAfter: FinalBlock | undefined;
}

/** A network whose sides change by chance, and that is whole again afterwards. */
function healed(seed: number, options: Partial<MachineOptions>): Healed {
  const sides = changingSides(seed, quiet.nodes + (options.spare ?? 0));
  const nodeSide = (node: number, slot: number): number => sides[slot]?.[node] ?? 0;
  const network = new MachineNetwork({ ...quiet, seed, clockErrorMs: 500, sideOf: nodeSide, ...options });
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
