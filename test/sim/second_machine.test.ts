import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MemoryJournal } from '../builders/memory_journal.ts';
import { inLongForm, isLong } from '../builders/forms.ts';
import { inventedId, varied } from '../p2p/hostile_peer.ts';
import { openDoor } from './hostile.ts';
import type { SimNode } from './sim_node.ts';
import { SimWorld } from './sim_world.ts';
import { chooseSeeds } from './seeds.ts';

// Two machines with one key. That no slot is signed twice is checked at each signature (sim_checks.ts).

const WITNESSES = 7;

/** A world whose witnesses have journals as old as its chain; its third one is the one that is doubled. */
function guardedWorld(seed: number): { readonly world: SimWorld; readonly first: SimNode } {
  const world = new SimWorld({ seed, witnesses: WITNESSES });
  for (const [index, name] of world.names.entries())
    world.add({
      name: `node${index}`,
      witnesses: [name],
      clockOffsetMs: ((index * 397) % 600) - 300,
      journal: new MemoryJournal(),
    });
  return { world, first: world.nodes[2] ?? assert.fail() };
}

function countBlocks(node: SimNode): number {
  return node.options.journal?.records.length ?? 0;
}

/** A second machine for the same witness, with a copy of the journal as it was then. */
function makeTwin(world: SimWorld, first: SimNode, journal: MemoryJournal, blocks = world.blocks): SimNode {
  const { witnesses } = first.options;
  return world.add({ name: `twin of ${first.options.name}`, witnesses, journal }, blocks);
}

for (const seed of chooseSeeds(1, ...(isLong ? [2] : []))) {
  test(`journals that are older than the chain wait, and then all witnesses go on (seed ${seed})`, () => {
    const { world } = guardedWorld(seed);
    world.run(120);
    for (const node of world.nodes)
      assert.ok(countBlocks(node) >= 2, `${node.options.name} has signed ${countBlocks(node)} blocks`);
    world.assertTogether();
  });

  test(`a second machine with a backup of yesterday, of the journal, of nothing, signs nothing while the first one lives (seed ${seed})`, () => {
    const { world, first } = guardedWorld(seed);
    world.run(100);
    const backup = new MemoryJournal(first.options.journal?.records ?? []);
    world.run(60);
    for (const [journal, blocks] of [
      [backup, world.blocks],
      [new MemoryJournal(), world.blocks],
      [new MemoryJournal(), []],
    ] as const) {
      const before = journal.records.length;
      const twin = makeTwin(world, first, journal, blocks);
      const own = countBlocks(first);
      world.run(90);
      assert.equal(countBlocks(twin), before, 'the second machine has signed');
      assert.equal(twin.guard?.foreign.length, 1, 'it has not seen the first one');
      assert.ok(countBlocks(first) > own, 'the first one goes on');
      twin.kill();
    }
  });

  test(
    `a second machine takes over from a dead one within some rounds, and the first one stops when it comes back (seed ${seed})`,
    inLongForm,
    () => {
      const { world, first } = guardedWorld(seed);
      world.run(100);
      const backup = new MemoryJournal(first.options.journal?.records.slice(0, -1) ?? []);
      world.run(30);
      first.kill();
      const twin = makeTwin(world, first, backup);
      world.run(150);
      const taken = countBlocks(twin);
      assert.ok(taken > (first.options.journal?.records.length ?? 0) - 1, 'the second machine makes the blocks');
      const own = countBlocks(first);
      first.restart();
      world.run(90);
      assert.equal(countBlocks(first), own, 'the first one signs nothing any more');
      assert.equal(first.guard?.foreign.length, 1);
      assert.ok(countBlocks(twin) > taken);
    },
  );

  test(
    `all killed at once and started again after a minute without journals: the chain goes on (seed ${seed})`,
    inLongForm,
    () => {
      const { world } = guardedWorld(seed);
      world.run(100);
      for (const node of world.nodes) node.kill();
      world.run(70);
      for (const node of world.nodes) {
        node.options.journal?.records.splice(0);
        node.restart();
      }
      const before = Math.max(...world.nodes.map(({ chain }) => chain.head.number));
      world.run(60);
      assert.ok(Math.min(...world.nodes.map(({ chain }) => chain.head.number)) > before + 3, 'within a minute');
      world.assertTogether();
    },
  );
}

for (const seed of chooseSeeds(3))
  test(`a second machine that has no blocks signs none while the only node that it knows is slow to give them (seed ${seed})`, () => {
    const world = new SimWorld({ seed, witnesses: WITNESSES });
    const { length: head } = world.blocks;
    const slow = openDoor(world, 'slow', '172.30.1.1', {
      greeting: (seen) => varied(seen, { head, headId: inventedId(head) }),
    });
    const journal = new MemoryJournal();
    const [witness = assert.fail()] = world.names;
    const twin = world.add(
      { name: 'twin', witnesses: [witness], journal, seeds: [slow], settings: { exchangesPeers: false } },
      [],
    );
    world.run(50);
    assert.equal(twin.network.standing.voices, 1);
    assert.deepEqual([twin.network.standing.isSynced, journal.records.length], [false, 0]);
  });
