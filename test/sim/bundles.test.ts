import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { sha256Hex } from '../../src/crypto/hashes.ts';
import { bundle } from '../../src/wire/messages/bundle.ts';
import { bundleAnnouncement } from '../../src/wire/messages/bundle_announcement.ts';
import { bundleRequest } from '../../src/wire/messages/bundle_request.ts';
import { testKey, people, makeTransaction, transferJson } from '../builders/chain.ts';
import { bundled } from '../builders/chain_line.ts';
import { inLongForm } from '../builders/forms.ts';
import { again, heads, intrude, SEEDS, started } from './intrusion.ts';
import type { SimNode } from './sim_node.ts';
import type { SimWorld } from './sim_world.ts';
import { chooseSeeds } from './seeds.ts';

const LONG = 'long enough that a few of them are told of and asked for '.repeat(20);
let memos = 0;

function transfers(world: SimWorld, { chain }: SimNode, count: number, expiresIn = 300): VerifiedTransaction[] {
  return Array.from({ length: count }, () =>
    makeTransaction(chain, world.parameters, [transferJson('alice', 'bob', 1, `${memos++} ${LONG}`)], [people[0]], {
      expiration: chain.head.time + expiresIn,
    }),
  );
}

function listTransactions({ chain }: SimNode, from: number): Set<string> {
  const ids = new Set<string>();
  for (let number = from; number <= chain.head.number; number++)
    for (const { id } of chain.block(number)?.transactions ?? []) ids.add(id);
  return ids;
}

const digestId = (bytes: Uint8Array): string => sha256Hex(bytes).slice(0, 32);

/** As if its signature had been made by nobody: r is above the order of the curve. */
function forged(one: VerifiedTransaction): ReturnType<typeof bundled> {
  const packed = one.packed.slice();
  packed.fill(0xff, one.unsignedBytes + 2, one.unsignedBytes + 34);
  return { ...bundled(one), packed };
}

/** The position of the first operation's kind: behind the reference, the expiration and the number of operations. */
const KIND_AT = 11;

/** The same with other bytes, so that a bundle of them is another one each time. */
function changed(one: VerifiedTransaction, change: (packed: Buffer) => Uint8Array): ReturnType<typeof bundled> {
  const packed = change(Buffer.from(one.packed));
  return { ...bundled(one), packed, unsignedBytes: Math.min(one.unsignedBytes, packed.length) };
}

/** Ways in which bytes are no transaction. */
const unreadable: readonly ((one: VerifiedTransaction) => ReturnType<typeof bundled>)[] = [
  (one) => changed(one, (packed) => packed.subarray(0, -1)),
  (one) => changed(one, (packed) => packed.subarray(0, one.unsignedBytes - 7)),
  (one) => changed(one, (packed) => Buffer.concat([packed, Buffer.of(0)])),
  // More operations than can follow.
  (one) => changed(one, (packed) => packed.fill(0x7f, KIND_AT - 1, KIND_AT)),
  () => ({ key: testKey('alice'), unsignedBytes: 0, packed: new Uint8Array(0) }),
];

/** Makes a transaction that a version with more operations may send. */
function ofNewerRules(one: VerifiedTransaction): ReturnType<typeof bundled> {
  return changed(one, (packed) => packed.fill(90, KIND_AT, KIND_AT + 1));
}

for (const seed of SEEDS) {
  test(`a large bundle comes to each node once, from one of those who tell of it, and gets into a block (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const from = nodes[0]?.chain.head.number ?? 0;
    const posted = nodes.slice(0, 4).flatMap((node) => {
      const own = transfers(world, node, 12);
      for (const one of own) node.post(one);
      return own;
    });
    world.run(9);
    world.assertTogether();
    for (const node of nodes) {
      const included = listTransactions(node, from);
      assert(posted.every(({ id }) => included.has(id)));
      const { taken, known } = node.network.connections.counts.bundles;
      assert(taken <= 8 && known <= 2, `${node.options.name} was given ${taken} bundles, and ${known} again`);
    }
  });

  test(
    `who tells of bundles and gives none, or gives them late, keeps none from anybody (seed ${seed})`,
    inLongForm,
    () => {
      const { world, nodes } = started(seed);
      const from = nodes[0]?.chain.head.number ?? 0;
      const [poster = assert.fail()] = nodes;
      const stallers = intrude(world, nodes.slice(1), 'staller', (liar) => {
        liar.on(bundleAnnouncement, ({ bundles }) => liar.channel.send(bundleAnnouncement, { bundles }));
        again(liar, 1000, (time) => {
          const bundles = [{ id: String(time).padStart(32, 'c'), transactions: 9, bytes: 200_000 }];
          liar.channel.send(bundleAnnouncement, { bundles });
        });
        // 3 s, and then nothing that could be one.
        liar.on(bundleRequest, () =>
          world.heap.at(world.heap.nowMs + 3000, () => (liar.isClosed ? undefined : liar.channel.send(bundle, []))),
        );
      });
      const posted: VerifiedTransaction[] = [];
      for (let slot = 0; slot < 10; slot++) {
        const own = transfers(world, poster, 6);
        for (const one of own) poster.post(one);
        posted.push(...own);
        world.run(3);
      }
      world.run(9);
      world.assertTogether();
      const included = listTransactions(poster, from);
      assert(posted.every(({ id }) => included.has(id)));
      assert(stallers.length === 8);
    },
  );

  test(`false keys and impossible signatures cost who sends them its place, and nothing of it goes on (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const [first = assert.fail()] = nodes;
    const sent: string[] = [];
    const liars = intrude(world, nodes.slice(0, 3), 'misleader', (liar, node) => {
      again(liar, 400, (time) => {
        const some = transfers(world, node, 3);
        sent.push(...some.map(({ id }) => id));
        const items = time % 2 === 0 ? some.map((one) => ({ ...bundled(one), key: testKey('bob') })) : some.map(forged);
        liar.channel.send(bundle, items);
      });
    });
    const before = Math.min(...heads(nodes));
    world.run(30);
    world.assertTogether();
    assert(liars.every(({ isClosed }) => isClosed));
    assert(Math.min(...heads(nodes)) >= before + 9);
    const offences = nodes.map(({ network }) => network.connections.counts.offences);
    assert(
      offences.some(({ wrong_hint }) => wrong_hint > 0) &&
        offences.some(({ forged_transaction }) => forged_transaction > 0),
    );
    // Those whose key alone was wrong are as good as any.
    const included = listTransactions(first, before);
    assert(sent.some((id) => included.has(id)));
  });

  test(`transactions that nobody can read cost who sends them its place, and what came with them gets into blocks (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const [first = assert.fail()] = nodes;
    const sent: string[] = [];
    const liars = intrude(world, nodes.slice(0, 3), 'scribbler', (liar, node) => {
      again(liar, 400, (time) => {
        const [good = assert.fail(), ...others] = transfers(world, node, 2);
        sent.push(good.id);
        const way = unreadable[time % unreadable.length] ?? assert.fail();
        liar.channel.send(bundle, [bundled(good), ...others.map(way)]);
      });
    });
    const before = Math.min(...heads(nodes));
    world.run(30);
    world.assertTogether();
    for (const [index, liar] of liars.entries()) {
      const { id, network } = nodes[index] ?? assert.fail();
      const { offences, bans } = network.connections.counts;
      // The twentieth is one too many; a bundle that is on its way still counts.
      assert(
        liar.isClosed && offences.forged_transaction >= 20 && offences.forged_transaction <= 22,
        `${id}: ${offences.forged_transaction}`,
      );
      assert.deepEqual([offences.lie, offences.malformed, bans], [0, 0, 0], 'nobody is banned for it');
    }
    const included = listTransactions(first, before);
    assert(sent.filter((id) => included.has(id)).length >= 15, 'the others in its bundles are as good as any');
    assert(Math.min(...heads(nodes)) >= before + 9);
  });

  test(`an operation of a newer version is nobody's fault, and goes no further (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const [first = assert.fail()] = nodes;
    const newer = intrude(world, [first], 'newer', (liar, node) => {
      again(liar, 400, () => liar.channel.send(bundle, transfers(world, node, 1).map(ofNewerRules)));
    });
    world.run(15);
    world.assertTogether();
    assert.equal(newer[0]?.isClosed, false);
    const { offences, bundles } = first.network.connections.counts;
    assert(bundles.refused >= 30 && bundles.sent === 0, 'each was looked at');
    assert.equal(offences.forged_transaction, 0);
  });

  test(`a flood of impossible signatures is thrown out at each node, and honest transactions get into blocks meanwhile (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const [poster = assert.fail()] = nodes;
    const from = poster.chain.head.number;
    const floods = intrude(world, nodes, 'flood', (liar, node) => {
      const [one = assert.fail()] = transfers(world, node, 1);
      again(liar, 20, (time) => {
        const item = forged(one);
        const packed = item.packed.slice();
        packed[packed.length - 1] = time & 0xff;
        liar.channel.send(bundle, [{ ...item, packed }]);
      });
    });
    const posted: VerifiedTransaction[] = [];
    for (let slot = 0; slot < 6; slot++) {
      const own = transfers(world, poster, 6);
      for (const one of own) poster.post(one);
      posted.push(...own);
      world.run(3);
    }
    world.run(6);
    world.assertTogether();
    assert(floods.every(({ isClosed }) => isClosed));
    const included = listTransactions(poster, from);
    assert(posted.every(({ id }) => included.has(id)));
  });

  test(`expired and repeated transactions are nobody's fault, and whoever passes on what came with them keeps its place (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const before = Math.min(...heads(nodes));
    const liars = intrude(world, nodes.slice(0, 2), 'careless', (liar, node) => {
      const old = transfers(world, node, 1, 1);
      again(liar, 500, () => liar.channel.send(bundle, [...transfers(world, node, 1), ...old].map(bundled)));
    });
    world.run(30);
    world.assertTogether();
    assert(
      liars.every(({ isClosed }) => !isClosed),
      'nobody is blamed',
    );
    assert(Math.min(...heads(nodes)) >= before + 9);
  });
}

for (const seed of chooseSeeds(7)) {
  test(`a large bundle that nobody asked for is blamed, and keeps nobody from taking the one that was (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const [node = assert.fail()] = nodes;
    const items = transfers(world, node, 5).map(bundled);
    const bytes = bundle.encode(items);
    assert(bytes.length > 4096);
    const bundles = [{ id: digestId(bytes), transactions: items.length, bytes: bytes.length }];
    let isGiving = false;
    intrude(world, [node], 'teller', (liar) => {
      liar.channel.send(bundleAnnouncement, { bundles });
      liar.on(bundleRequest, () => (isGiving ? liar.channel.send(bundle, items) : undefined));
    });
    world.run(0.7);
    const givers = intrude(world, [node], 'giver', (liar) => liar.channel.send(bundle, items));
    world.run(3);
    isGiving = true;
    const { offences, bundles: counted } = node.network.connections.counts;
    assert.deepEqual([offences.body_unasked, counted.taken], [1, 0]);
    assert(givers[0]?.isClosed === false);
    // Who was asked in vain is asked again, some seconds later.
    world.run(6);
    assert.equal(node.network.connections.counts.bundles.taken, 1);
  });
}
