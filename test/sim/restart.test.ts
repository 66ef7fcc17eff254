import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { SimNode } from './sim_node.ts';
import { SimWorld } from './sim_world.ts';

// The runbook of a stopped chain (RUNBOOK.md), played through.

const WITNESSES = 9;
const LIVE = 5;
const REQUIRED = 6700;

/** Nine witnesses of which four are gone, for so long that the chain has stopped. */
function stoppedWorld(seed: number): { readonly world: SimWorld; readonly nodes: readonly SimNode[]; readonly head: () => number } {
  const world = new SimWorld({ seed, witnesses: WITNESSES });
  for (const [index, name] of world.names.entries())
    world.add({ name: `node${index}`, witnesses: [name], requiredParticipation: REQUIRED });
  const nodes = [...world.nodes];
  const [first = assert.fail()] = nodes;
  world.run(30);
  for (const node of nodes.slice(LIVE)) node.kill();
  world.run(600);
  return { world, nodes, head: () => first.chain.head.number };
}

test('a chain that has stopped goes on by itself as soon as enough witnesses are back', () => {
  const { world, nodes, head } = stoppedWorld(1);
  const stopped = head();
  world.run(120);
  assert.equal(head(), stopped, '5 of 9 are too few: the chain stops');

  // One more is not enough, another one is: 7 of 9.
  nodes[5]?.restart();
  world.run(120);
  assert.equal(head(), stopped);
  for (const node of nodes.slice(6)) node.restart();
  world.run(30);
  assert.ok(head() > stopped, 'it goes on within 30 seconds');
  world.run(720);
  world.assertTogether();
  assert.ok(head() > stopped + 225, `${head() - stopped} blocks`);
  for (const { chain } of nodes) assert.ok(chain.participation > REQUIRED);
});

test('when too few are left one command at each of them has the chain go on, and when the others are back it needs none', () => {
  const { world, nodes, head } = stoppedWorld(3);
  const stopped = head();
  for (const node of nodes.slice(0, LIVE)) node.restartChain();
  world.run(30);
  assert.ok(head() > stopped, 'it goes on within 30 seconds');
  for (const node of nodes.slice(LIVE)) node.restart();
  world.run(780);
  world.assertTogether();
  assert.ok(head() > stopped + 200, `${head() - stopped} blocks`);
  for (const { chain } of nodes) assert.ok(chain.participation > REQUIRED);
});

test('a restart lasts 200 blocks: with too few witnesses the chain stops again by itself', () => {
  const { world, nodes, head } = stoppedWorld(7);
  const stopped = head();
  for (const node of nodes.slice(0, LIVE)) node.restartChain();
  world.run(1400);
  assert.ok(head() >= stopped + 200 && head() < stopped + 230, `${head() - stopped} blocks`);
});
