import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { aliveDigest, type Alive, type SignedHeartbeat } from '../../src/blocks/alive.ts';
import { signWithSecret } from '../../src/blocks/sign_transaction.ts';
import { alive } from '../../src/wire/messages/alive.ts';
import { testKey, testSecret } from '../builders/chain.ts';
import { inLongForm, isLong } from '../builders/forms.ts';
import { again, intrude, started } from './intrusion.ts';
import { OutageWorld } from './outage_world.ts';
import type { SimNode } from './sim_node.ts';
import type { SimWorld } from './sim_world.ts';
import { chooseSeeds } from './seeds.ts';

/** Signs a heartbeat by that key, about itself or about another witness. */
function signHeartbeat(
  world: SimWorld,
  name: string,
  { chain }: SimNode,
  varied: Partial<Alive> = {},
): SignedHeartbeat {
  const slot = Math.trunc(world.heap.nowMs / 3000);
  const said = { witness: name, key: testKey(name), slot, head: chain.head.id, ...varied };
  return {
    ...said,
    signature: present(signWithSecret(aliveDigest(world.parameters.chainId, said), testSecret(name)), 'a signature'),
  };
}

const countKnown = (nodes: readonly SimNode[]): number[] => nodes.map(({ network }) => network.heartbeats.kept);

for (const seed of chooseSeeds(31)) {
  test(`while the chain goes on nobody says that it is there, and once it stands all know of all who are (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    world.run(30);
    assert.deepEqual(new Set(countKnown(nodes)), new Set([0]));
    for (const node of nodes.slice(4)) node.kill();
    world.run(60);
    assert.deepEqual(countKnown(nodes.slice(0, 4)), [4, 4, 4, 4]);
    assert.deepEqual(
      world.checks.lines.filter((line) => /banned/.test(line)),
      [],
    );
  });
}

for (const seed of chooseSeeds(32)) {
  test(`what a witness of the round says goes round, whoever brings it; it is passed on once a slot (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const [first = assert.fail()] = nodes;
    const bringers = intrude(world, [first], 'bringer', (liar) => {
      again(liar, 500, () => liar.channel.send(alive, signHeartbeat(world, 'witness3', first)));
    });
    const listeners = intrude(world, nodes.slice(5, 6), 'listener', () => undefined);
    world.run(12);
    assert.deepEqual(new Set(countKnown(nodes)), new Set([1]));
    const heard = present(listeners[0], 'a listener').heard.filter((name) => name === 'alive').length;
    assert.ok(heard >= 3 && heard <= 5, `${heard} in twelve seconds, four slots`);
    assert.ok(bringers.length === 1 && bringers.every(({ isClosed }) => !isClosed), 'to bring it is no crime');
  });
}

for (const seed of chooseSeeds(33)) {
  test(`a wrong signature bans who brings it, whatever else it says (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const liars = intrude(world, nodes, 'forger', (liar, node) => {
      const right = signHeartbeat(world, 'witness3', node);
      liar.channel.send(alive, { ...right, slot: right.slot + 1 });
    });
    world.run(10);
    assert.ok(liars.length === nodes.length && liars.every(({ isClosed }) => isClosed));
    assert.equal(
      world.checks.lines.filter((line) => /banned a peer for 1 h: what a witness has not signed/.test(line)).length,
      nodes.length,
    );
    assert.deepEqual(new Set(countKnown(nodes)), new Set([0]));
  });
}

for (const seed of chooseSeeds(34)) {
  test(`of keys that no branch knows, of other slots and of blocks that cannot be there nothing is kept and nobody is blamed (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const far = (node: SimNode): string =>
      (node.chain.head.number + 100_000_000).toString(16).padStart(8, '0').padEnd(40, '7');
    const liars = intrude(world, nodes, 'stranger', (liar, node) => {
      const { slot } = signHeartbeat(world, 'witness3', node);
      liar.channel.send(alive, signHeartbeat(world, 'erin', node));
      liar.channel.send(alive, signHeartbeat(world, 'erin', node, { witness: 'witness3' }));
      liar.channel.send(alive, signHeartbeat(world, 'witness3', node, { slot: slot - 20 }));
      liar.channel.send(alive, signHeartbeat(world, 'witness3', node, { slot: slot + 20 }));
      liar.channel.send(alive, signHeartbeat(world, 'witness3', node, { head: far(node) }));
    });
    world.run(10);
    assert.deepEqual(new Set(countKnown(nodes)), new Set([0]));
    assert.ok(liars.every(({ isClosed }) => !isClosed));
  });
}

const SECONDS = isLong ? 100 : 40;

for (const seed of chooseSeeds(35)) {
  test(
    `who sends heartbeats of keys that nobody knows, without end, waits for credit and is not banned, and the chain goes on (seed ${seed})`,
    inLongForm,
    () => {
      const { world, nodes } = started(seed);
      const [first = assert.fail()] = nodes;
      const before = first.chain.head.number;
      // Each with a key of its own costs a signature.
      const said = Array.from({ length: 40 }, (_, index) => signHeartbeat(world, `stranger${index}`, first));
      const worked = first.process.thread.busyMs;
      const floods = intrude(world, [first], 'flood', (liar) => {
        again(liar, 20, () => {
          for (const one of said) liar.channel.send(alive, one);
        });
      });
      world.run(SECONDS);
      assert.ok(floods.length === 1 && floods.every(({ isClosed }) => !isClosed));
      const busy = (first.process.thread.busyMs - worked) / (1000 * SECONDS);
      assert.ok(busy < 0.05, `${busy} of the thread`);
      assert.deepEqual(
        world.checks.lines.filter((line) => /banned/.test(line)),
        [],
      );
      assert.ok(first.chain.head.number >= before + (3 * SECONDS) / 10);
    },
  );
}

for (const [where, goesOn] of [
  ['with the head that is there', true],
  ['elsewhere', false],
] as const) {
  for (const seed of chooseSeeds(36))
    test(`three of nine witnesses ${goesOn ? 'go' : 'do not go'} on when the keys of the others stand ${where} (seed ${seed})`, () => {
      const outage = new OutageWorld({ seed, finality: 'confirmations', witnesses: 9 });
      const { world } = outage;
      outage.leaveLive(3);
      world.run(300);
      const { highest, running } = outage;
      world.run(20);
      assert.equal(outage.highest, highest, 'three are too few');
      const away = world.nodes.flatMap((node) => (node.isRunning ? [] : node.options.witnesses));
      intrude(world, running, 'puppets', (liar, node) => {
        again(liar, 3000, () => {
          const { id, number } = node.chain.head;
          const head = goesOn ? id : (number + 1).toString(16).padStart(8, '0').padEnd(40, '9');
          for (const name of away) liar.channel.send(alive, signHeartbeat(world, name, node, { head }));
        });
      });
      world.run(40);
      assert.deepEqual(countKnown(running), [9, 9, 9]);
      assert.equal(outage.highest > highest, goesOn);
    });
}
