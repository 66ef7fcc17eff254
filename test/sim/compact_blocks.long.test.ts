import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { packBlock, type PackedBlock } from '../../src/blocks/block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { sha256Hex } from '../../src/crypto/hashes.ts';
import { block } from '../../src/wire/messages/block.ts';
import { blockRequest, WHOLE } from '../../src/wire/messages/block_request.ts';
import { compactBlock } from '../../src/wire/messages/compact_block.ts';
import { missing } from '../../src/wire/messages/missing.ts';
import { missingRequest } from '../../src/wire/messages/missing_request.ts';
import { shortIdKey, computeShortIds } from '../../src/wire/short_ids.ts';
import { leafWords } from '../builders/leaf_words.ts';
import { people, makeTransaction, transferJson } from '../builders/chain.ts';
import { forgedBlock } from '../builders/forged_block.ts';
import { heads, intrude, LIARS_ASKED, SEEDS, started } from './intrusion.ts';
import type { Liar } from './liar.ts';
import type { SimNode } from './sim_node.ts';
import type { SimWorld } from './sim_world.ts';

const LONG = 'so that a block of a dozen is too large to be pushed whole '.repeat(30);
const EACH_SLOT = 12;
let memos = 0;

function transfers(world: SimWorld, { chain }: SimNode, count: number): VerifiedTransaction[] {
  return Array.from({ length: count }, () =>
    makeTransaction(chain, world.parameters, [transferJson('alice', 'bob', 1, `${memos++} ${LONG}`)], [people[0]], {
      expiration: chain.head.time + 300,
    }),
  );
}

/** Posts so much for so many slots that blocks go as short ids. */
function load(world: SimWorld, nodes: readonly SimNode[], slots: number): void {
  for (let slot = 0; slot < slots; slot++) {
    const at = nodes[slot % nodes.length] ?? assert.fail();
    for (const transfer of transfers(world, at, EACH_SLOT)) at.post(transfer);
    world.run(3);
  }
}

function shortIds(nodes: readonly SimNode[]): { hit: number; miss: number; fallback: number } {
  const sum = { hit: 0, miss: 0, fallback: 0 };
  for (const { network } of nodes) {
    const { hit, miss, fallback } = network.connections.counts.shortIds;
    sum.hit += hit;
    sum.miss += miss;
    sum.fallback += fallback;
  }
  return sum;
}

function makeLie(nodes: readonly SimNode[]): number {
  return nodes.reduce((sum, { network }) => sum + network.connections.counts.offences.lie, 0);
}

function makeCompact({ id, header, transactions }: PackedBlock): {
  header: PackedBlock['header'];
  shortIds: Uint8Array;
} {
  return { header, shortIds: computeShortIds(shortIdKey(id), leafWords(transactions.map(({ leaf }) => leaf))) };
}

/** Sends something in the form of each new block, as soon as anybody has it. */
function whenever(liar: Liar, nodes: readonly SimNode[], run: (made: PackedBlock) => void): void {
  let last = Math.max(...heads(nodes));
  const look = (): void => {
    if (liar.isClosed) return;
    const first = nodes.find(({ chain }) => chain.head.number > last);
    last = first?.chain.head.number ?? last;
    const made = first?.chain.block(last);
    if (made !== undefined && made.transactions.length > 0) run(made);
    liar.world.heap.at(liar.world.heap.nowMs + 1, look);
  };
  look();
}

for (const seed of SEEDS) {
  test(`blocks travel as short ids, without a question, to whoever has their transactions (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const before = Math.min(...heads(nodes));
    load(world, nodes, 12);
    world.run(3);
    world.assertTogether();
    assert(Math.min(...heads(nodes)) >= before + 12, 'no slot is lost');
    const { hit, miss, fallback } = shortIds(nodes);
    assert(hit >= 8 * 10 * EACH_SLOT, `${hit} found`);
    assert(miss * 20 < hit, `${miss} of ${hit} missed`);
    assert(fallback <= 4, `${fallback} fetched whole`);
  });

  test(`what a node misses of a block it asks for, and all of it when that is much (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const follower = world.add({ name: 'poor' });
    world.run(6);
    // Of some it never hears before the block; nobody else is told either.
    const producer = present(nodes[0], 'a node');
    for (const share of [0.1, 0.9]) {
      world.producing.set('initminer', (node, turn) => {
        const own = transfers(world, node, Math.ceil(EACH_SLOT * share));
        for (const transfer of own) node.chain.accept(transfer);
        node.network.known(own);
        node.seal(turn);
      });
      load(world, nodes, 12);
    }
    world.run(3);
    world.assertTogether();
    const { miss, fallback } = shortIds([follower]);
    assert(miss > 0, 'some were asked for');
    assert(fallback > 0, 'some blocks were fetched whole');
    assert(producer.chain.head.number === follower.chain.head.number);
  });

  test(`wrong short ids of a right block ban who sends them, and the block comes from others (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const before = Math.min(...heads(nodes));
    const liars = intrude(world, nodes.slice(1, 5), 'misnamer', (liar) => {
      whenever(liar, nodes, (made) => {
        const { header, shortIds: right } = makeCompact(made);
        // One of them is another's, so that what misses can be asked for.
        const wrong = right.slice();
        wrong[0] = (wrong[0] ?? 0) ^ 1;
        liar.channel.send(compactBlock, { header, shortIds: wrong });
        liar.on(missingRequest, ({ id, indexes }) => {
          const transactions = indexes.map((index) => made.transactions[index]?.packed ?? new Uint8Array(1));
          liar.channel.send(missing, { id, transactions });
        });
      });
    });
    load(world, nodes, 12);
    world.run(3);
    world.assertTogether();
    assert(Math.min(...heads(nodes)) >= before + 12, 'no slot is lost');
    assert.equal(liars.filter(({ isClosed }) => isClosed).length, makeLie(nodes));
    // By some seeds honest ones are always faster.
    if (seed === LIARS_ASKED) assert(makeLie(nodes) > 0, 'some were caught');
  });

  test(`a right header with another body bans who sends it, and the block comes from others (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const before = Math.min(...heads(nodes));
    const watched = present(nodes[0], 'a node');
    let isPushed = false;
    const liars = intrude(world, nodes.slice(1, 6), 'swapper', (liar) => {
      isPushed = !isPushed;
      whenever(liar, nodes, ({ id, header, transactions: [first] }) => {
        const small = transfers(world, watched, 1);
        const swapped = packBlock(header, [present(first, 'a transaction'), ...small]).packed;
        if (isPushed) liar.channel.send(block, swapped);
        else
          liar.channel.send(compactBlock, {
            header,
            shortIds: computeShortIds(shortIdKey(id), leafWords(small.map(({ leaf }) => leaf))),
          });
        liar.on(blockRequest, ({ form }) => (form === WHOLE ? liar.channel.send(block, swapped) : undefined));
      });
    });
    load(world, nodes, 12);
    world.run(3);
    world.assertTogether();
    assert(Math.min(...heads(nodes)) >= before + 12, 'no slot is lost');
    assert.equal(liars.filter(({ isClosed }) => isClosed).length, makeLie(nodes));
    assert(makeLie(nodes) > 0, 'some were caught');
  });

  test(`a witness that signs a header which no body fits loses its slot, and nobody is blamed who does not send it (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const before = Math.min(...heads(nodes));
    let forged = 0;
    world.producing.set('witness3', (node) => {
      forged++;
      const made = forgedBlock(node.chain, {
        header: { transaction_merkle_root: 'ab'.repeat(20) },
        transactions: transfers(world, node, 9),
      });
      intrude(world, nodes.slice(0, 8), `rootless ${forged}`, (liar) => {
        liar.blocks.set(made.id, made.packed);
        liar.channel.send(compactBlock, makeCompact(made));
      });
    });
    load(world, nodes, 18);
    world.producing.clear();
    world.run(6);
    world.assertTogether();
    assert(forged >= 1);
    assert(Math.min(...heads(nodes)) >= before + 18 - forged - 1);
  });

  test(`a block with what is no transaction is passed on by nobody, so that no honest node is blamed for it (seed ${seed})`, () => {
    const { world, nodes } = started(seed);
    const before = Math.min(...heads(nodes));
    let [made, asked] = [0, 0];
    world.producing.set('witness3', (node) => {
      made++;
      const some = transfers(world, node, 4);
      const packed = new Uint8Array(120).fill(0xfe);
      const [one = assert.fail()] = some;
      const forged = forgedBlock(node.chain, { transactions: [...some, { ...one, packed, leaf: sha256Hex(packed) }] });
      for (const other of nodes) {
        for (const known of some) if (other !== node) other.chain.accept(known);
        other.network.known(some);
      }
      intrude(world, nodes.slice(0, 2), `unreadable ${made}`, (liar) => {
        liar.on(missingRequest, ({ id, indexes }) => {
          asked++;
          liar.channel.send(missing, {
            id,
            transactions: indexes.map((index) => forged.transactions[index]?.packed ?? packed),
          });
        });
        liar.blocks.set(forged.id, forged.packed);
        liar.channel.send(compactBlock, makeCompact(forged));
      });
    });
    load(world, nodes, 18);
    world.producing.clear();
    world.run(6);
    world.assertTogether();
    assert(made >= 1 && asked >= 1);
    assert(Math.min(...heads(nodes)) >= before + 18 - made - 1);
  });

  test(`three seconds without an answer, and slow links, cost a block its time and nobody its place (seed ${seed})`, () => {
    const { world, nodes } = started(seed, { bytesPerMs: 60, lossPercent: 2 });
    const before = Math.min(...heads(nodes));
    // They offer every block at once, and give nothing of it.
    const stallers = intrude(world, nodes.slice(1, 5), 'staller', (liar) => {
      whenever(liar, nodes, (made) => {
        const { header, shortIds: right } = makeCompact(made);
        liar.channel.send(compactBlock, { header, shortIds: right });
      });
    });
    load(world, nodes, 12);
    world.run(6);
    world.runUntilTogether(9);
    assert(Math.min(...heads(nodes)) >= before + 10, 'two slots are lost at most');
    assert(
      stallers.every(({ isClosed }) => !isClosed),
      'slow is no lie',
    );
  });
}
