import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { Confirmations } from '../../src/p2p/sync/confirmations.ts';
import { Voices } from '../../src/p2p/sync/voices.ts';
import { makeNodeId } from '../builders/pipes.ts';
import { inventedId, kinds, type HostilePeer } from '../p2p/hostile_peer.ts';
import { openDoor, hostile } from './hostile.ts';
import { heads, SEEDS, started } from './intrusion.ts';
import { chooseSeeds } from './seeds.ts';

// The hostile peer misuses blocks, states and histories of others. It knows the protocol from its description alone.

const SLOTS = 12;
const SHORT_ID_BYTES = 6;

/** Lists of short ids that belong to no body of a block, each made of a seed. */
const lists: Readonly<Record<string, (number: number) => Buffer>> = {
  'one id twenty thousand times': () => Buffer.alloc(20_000 * SHORT_ID_BYTES, 7),
  'two ids in turns, as of transactions that collide': (number) =>
    Buffer.concat(
      Array.from({ length: 600 }, (_, index) => Buffer.alloc(SHORT_ID_BYTES, index % 2 === 0 ? 1 : number & 0xff)),
    ),
  'ids that nobody has': (number) =>
    Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 31 + number * 7) & 0xff)),
};

/** Returns the size of a packed block's signed header. */
function headerBytes(packed: Buffer): number {
  let at = 24;
  at += 1 + (packed[at] ?? 0) + 20;
  const extensions = packed[at++] ?? 0;
  for (let left = extensions; left > 0; left--) at += 1 + ([0, 4, 8][packed[at] ?? 0] ?? 0);
  return at + 65;
}

for (const seed of SEEDS) {
  for (const [name, listOf] of Object.entries(lists))
    test(`compact blocks with ${name}, sent to all as soon as one hears of a block, cost no slot and no honest node its place (seed ${seed})`, () => {
      const { world, nodes } = started(seed);
      const before = Math.min(...heads(nodes));
      const all: HostilePeer[] = [];
      let sent = 0;
      const spread = (packed: Buffer): void => {
        const list = listOf(packed.readUInt32BE(0));
        const count = Buffer.alloc(4);
        count.writeUInt32LE(list.length / SHORT_ID_BYTES);
        const message = Buffer.concat([packed.subarray(0, headerBytes(packed)), count, list]);
        for (const other of all) {
          if (other.isClosed || other.dismissed !== undefined) continue;
          other.send(kinds.compact_block, message);
          sent++;
        }
      };
      for (const [index, node] of nodes.entries())
        world.intrude(`collider ${index}`, `172.16.${index}.7`, node, (pipe) =>
          hostile(world, pipe, {
            script: (peer) => {
              all.push(peer);
              for (const kind of [kinds.block, kinds.compact_block]) peer.on(kind, spread);
            },
          }),
        );
      world.run(3 * SLOTS + 3);
      world.assertTogether();
      assert.ok(sent >= nodes.length, `${sent} were sent`);
      assert.ok(Math.min(...heads(nodes)) >= before + SLOTS, 'no slot is lost');
    });
}

for (const seed of chooseSeeds(41)) {
  test(`a trusted node that tells states of blocks which nobody has, by thousands, stops nobody and is kept in bounds (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const introduction = { agent: 'pharos/test', endpoints: [], takesTransactions: true, wantsStateHashes: true };
    let told = 0;
    const stateHash = (number: number): Buffer => {
      const message = Buffer.alloc(56, 0xab);
      message.writeUInt32LE(number);
      inventedId(number).copy(message, 4);
      told++;
      return message;
    };
    const oracle = openDoor(world, 'oracle', '172.30.7.7', {
      script: (peer) =>
        void world.heap.at(world.heap.nowMs + 5000, () => {
          for (let thousand = 1; thousand <= 2000; thousand++) peer.send(kinds.state_hash, stateHash(thousand * 1000));
          // Then one of a block whose state nobody tells.
          world.heap.at(world.heap.nowMs + 20_000, () => peer.send(kinds.state_hash, stateHash(17)));
        }),
    });
    const settings = { exchangesPeers: false, trusted: new Set([makeNodeId('oracle')]), introduction };
    const honest = present(nodes[5], 'a node').target;
    const believer = world.add({ name: 'believer', seeds: [oracle, honest], settings }, []);
    world.run(60);
    assert.ok(told > 1000);
    assert.deepEqual(believer.failures, []);
    world.assertTogether([believer, ...nodes]);
  });

  test(`peers that say of themselves what a newcomer says of itself confirm no forged history, however many one hand has (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    // Each is a mirror: whatever block the node takes for final, they have it, too.
    const doors = Array.from({ length: 5 }, (_, index) =>
      openDoor(world, `mirror ${index}`, `172.30.7.${index + 1}`, {}),
    );
    const victim = world.add({ name: 'victim', seeds: doors, settings: { exchangesPeers: false } });
    for (let index = 0; index < 20; index++)
      world.intrude(`stranger ${index}`, `172.31.${index}.1`, victim, (pipe) => hostile(world, pipe, {}));
    world.run(40);
    const { connections } = victim.network;
    assert.ok(connections.live.length > 20, `${connections.live.length} peers`);
    const voices = new Voices({ pinned: new Set(), allowed: new Set() });
    const confirmations = new Confirmations({ view: victim.view, voices, number: victim.chain.head.lastIrreversible });
    confirmations.look(connections.live);
    assert.deepEqual([confirmations.count, confirmations.isEnough], [1, false]);
    world.assertTogether(nodes);
  });
}
