import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { VotingNetwork, type VotingNode } from './voting_network.ts';

/** Longer runs: `PHAROS_TEST_SEEDS=50`. */
const SEEDS = Number(process.env['PHAROS_TEST_SEEDS'] ?? 2);

function assertTogether({ nodes }: VotingNetwork, mostBehind: number): void {
  const [first] = nodes;
  for (const { chain } of nodes) {
    assert.equal(chain.head.id, first?.chain.head.id, 'one head');
    assert.equal(chain.head.stateHash, first?.chain.head.stateHash);
    const { number, lastIrreversible } = chain.head;
    assert.ok(number - lastIrreversible <= mostBehind, `block ${lastIrreversible} of ${number} is final`);
  }
}

test('with all voters there, real chains make each block final soon after its slot', () => {
  const network = new VotingNetwork(1, () => 0);
  network.run(30);
  assertTogether(network, 1);
  assert.equal(network.falls, 0);
});

test('of four voters two by two make nothing final; when they meet again, one branch is', () => {
  const network = new VotingNetwork(2, (node, slot) => (slot >= 16 && slot < 24 ? Math.trunc(node / 2) : 0));
  network.run(16);
  const before = network.nodes.map(({ chain }) => chain.head.lastIrreversible);
  network.run(8);
  assert.ok(network.nodes.every(({ chain }, node) => chain.head.lastIrreversible <= (before[node] ?? 0) + 1));
  assert.ok(new Set(network.nodes.map(({ chain }) => chain.head.id)).size > 1, 'they have parted');
  network.run(12);
  assertTogether(network, 1);
});

/** Sides that change at random, and nodes that are killed. */
function stormy(seed: number): VotingNetwork {
  const randomSource = new RandomSource(seed);
  const sides = Array.from({ length: 20 }, () =>
    randomSource.shuffle([0, 0, 0, 1]).map((side) => (randomSource.chance(50) ? 0 : side)),
  );
  const network = new VotingNetwork(seed, (node, slot) => (slot < 60 ? (sides[Math.trunc(slot / 3)]?.[node] ?? 0) : 0));
  const victim = (): VotingNode | undefined => network.nodes[randomSource.roll(network.nodes.length)];
  for (let step = 0; step < 12; step++) {
    network.run(5);
    if (randomSource.chance(40)) victim()?.restart();
  }
  return network;
}

test('whatever the network does, two conflicting blocks never become final on real chains, and afterwards all go on together', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const network = stormy(seed);
    network.run(16);
    assertTogether(network, 1);
  }
});

for (const how of ['import', 'snapshot'] as const) {
  test(`a node that begins with ${how === 'import' ? 'imported blocks' : 'a snapshot'} tells nothing as final and is silent until a certificate comes, then votes`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-voting-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    // Its vote is needed from slot 24 on: a quorum is three of four.
    const network = new VotingNetwork(4, (node, slot) => (slot >= 24 && node === 0 ? 1 : 0));
    network.run(16);
    const node = present(network.nodes[3], 'a node');
    await node.beginAnew(how, join(folder, 'snapshot'));
    assert.ok(node.isSilent);
    assert.equal(node.chain.head.lastIrreversible, 0);
    network.run(8);
    assert.ok(!node.isSilent);
    assertTogether(network, 1);
    const { lastIrreversible } = node.chain.head;
    network.run(12);
    assert.ok(node.chain.head.lastIrreversible > lastIrreversible + 6, 'with its vote');
  });
}

test('a node that began with imported blocks counts no more than it can prove while nobody shows a certificate', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-voting-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const network = new VotingNetwork(5, (node, slot) => (slot >= 16 && node === 3 ? 1 : 0));
  network.run(16);
  const node = present(network.nodes[3], 'a node');
  await node.beginAnew('import', join(folder, 'snapshot'));
  network.run(8);
  assert.equal(node.chain.head.lastIrreversible, 0);
  assert.ok(node.isSilent);
});
