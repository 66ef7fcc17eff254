import assert from 'node:assert/strict';
import { MessageChannel } from 'node:worker_threads';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { catchRefusal } from '../../src/base/refusal.ts';
import { Chain } from '../../src/chain/chain.ts';
import { ChainFeed, type ChainMessage } from '../../src/feed/chain_feed.ts';
import type { AcceptedMessage } from '../../src/feed/transaction_feed.ts';
import { decodeVerifiedBatch, encodeVerifiedBatch } from '../../src/blocks/verified_batch.ts';
import { ThreadPort } from '../../src/system/thread_port.ts';
import { getBlockId } from '../../src/state/block_ids.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { View } from '../../src/storage/view.ts';
import { openChain, produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { directPorts } from '../../src/system/direct_ports.ts';
import { directWriter } from '../builders/direct_writer.ts';
import { HandClock } from '../builders/hand_clock.ts';

const parameters = testParameters();

/** Knows the main branch from what it is told, and reads committed rows only behind a gap. */
class Follower {
  readonly ids = new Map<number, string>();
  gaps = 0;
  readonly #rows: View;

  constructor(rows: View) {
    this.#rows = rows;
  }

  take(message: ChainMessage): void {
    if (message.kind === 'gap') {
      this.gaps++;
      for (const number of this.ids.keys()) if (number > message.keptNumber) this.ids.delete(number);
      for (let number = message.keptNumber + 1; number <= message.head.number; number++)
        this.ids.set(number, getBlockId(this.#rows, number));
      return;
    }
    for (const id of message.undone) {
      const number = Number.parseInt(id.slice(0, 8), 16);
      assert.equal(this.ids.get(number), id, 'what is undone was told before');
      this.ids.delete(number);
    }
    for (const { number, id, previous } of message.applied) {
      if (number > 1) assert.equal(this.ids.get(number - 1), previous, 'a block follows what was told before');
      this.ids.set(number, id);
    }
    assert.equal(this.ids.get(message.head.number) ?? message.head.id, message.head.id);
  }
}

test('whatever branches come and go, followers of any pace know the main branch', () => {
  for (let seed = 1; seed <= 5; seed++) {
    const randomSource = new RandomSource(seed);
    const store = new MemoryStore();
    const feed = new ChainFeed();
    const chain: Chain = new Chain({
      store,
      parameters,
      durable: false,
      changed(change) {
        const { number, id, time, lastIrreversible: irreversible } = chain.head;
        feed.publish(change, { number, id, time, irreversible });
      },
    });
    const followers = [0, 40, 97].map((percentAsleep) => {
      const follower = new Follower(new View(store, 1000));
      const waiting: ChainMessage[] = [];
      const taken = feed.add((message) => void waiting.push(message));
      const wake = (percent: number): void => {
        while (waiting.length > 0 && !randomSource.chance(percent)) {
          const [message] = waiting.splice(0, 1);
          // Rows may be further than the message; a follower that keeps up needs none.
          if (message?.kind === 'gap' && waiting.length > 0) assert.fail('a gap is the last of what is on its way');
          if (message !== undefined) follower.take(message);
          taken();
        }
      };
      return { follower, wake, percentAsleep };
    });
    const rivals = [0, 1].map(() => openChain(parameters));
    const first = produce(chain);
    for (const rival of rivals) rival.push(first);
    for (let step = 0; step < 200; step++) {
      const at = randomSource.roll(3);
      const rival = rivals[at];
      if (rival === undefined) produce(chain);
      // A rival that is too far behind, or that loses, goes on from the head some time.
      else if (catchRefusal(() => void chain.push(produce(rival, randomSource.chance(50) ? 1 : 2))) !== undefined)
        rivals[at] = copyChain(chain);
      if (randomSource.chance(6)) rivals[randomSource.roll(2)] = copyChain(chain);
      for (const { wake, percentAsleep } of followers) wake(percentAsleep);
    }
    for (const { wake } of followers) wake(0);
    for (const { follower } of followers) {
      assert.equal(follower.ids.size, chain.head.number);
      for (const [number, id] of follower.ids)
        assert.equal(id, chain.block(number)?.id, `seed ${seed}, block ${number}`);
    }
    const [prompt, , sleepy] = followers;
    assert.equal(prompt?.follower.gaps, 0);
    assert.ok((sleepy?.follower.gaps ?? 0) > 0);
  }
});

function copyChain(chain: Chain): Chain {
  const copy = openChain(parameters);
  for (let number = 1; number <= chain.head.number; number++) {
    const block = chain.block(number) ?? assert.fail('a block');
    copy.replay([{ ...block, signer: undefined, transactions: [] }], { signatures: true });
  }
  return copy;
}

test('a block too large for a message is a gap that begins below it', () => {
  const feed = new ChainFeed();
  const heard: ChainMessage[] = [];
  feed.add((message) => void heard.push(message));
  const chain = openChain(parameters);
  chain.accept(makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1n)], ['alice']));
  const block = produce(chain);
  const transactions = Array.from({ length: 220_000 }, () => present(block.transactions[0], 'a transaction'));
  const { number, id, time, lastIrreversible: irreversible } = chain.head;
  feed.publish({ undone: [], applied: [{ ...block, transactions }] }, { number, id, time, irreversible });
  assert.deepEqual(
    heard.map((message) => message.kind === 'gap' && message.keptNumber),
    [number - 1],
  );
});

test('a write of hundreds of blocks, as in a sync, is a gap that begins below them; one of some dozen is told', () => {
  const chain = openChain(parameters);
  const blocks = Array.from({ length: 300 }, () => produce(chain));
  const { number, id, time, lastIrreversible: irreversible } = chain.head;
  const [long, short] = [blocks, blocks.slice(-200)].map((applied) => {
    const heard: ChainMessage[] = [];
    const feed = new ChainFeed();
    feed.add((message) => void heard.push(message));
    feed.publish({ undone: [], applied }, { number, id, time, irreversible });
    return heard[0];
  });
  assert.deepEqual(long, { kind: 'gap', keptNumber: 0, head: { number, id, time, irreversible } });
  assert.equal(short?.kind === 'update' && short.applied.length, 200);
});

test('a part in another thread follows blocks and accepted transactions over lines of its own', async () => {
  const store = new MemoryStore();
  const clock = new HandClock(parameters.genesis.genesis_time * 1000);
  const { writer, client } = directWriter({ parameters, store, clock });
  const [verifier, line] = directPorts<never, Uint8Array>();
  client.connect(line);

  const [blocks, accepted] = [new MessageChannel(), new MessageChannel()];
  const [heardBlocks, heardTransactions]: [ChainMessage[], AcceptedMessage[]] = [[], []];
  let heardAll = (): void => undefined;
  const all = new Promise<void>((resolve) => (heardAll = resolve));
  const heard = (): void => (heardBlocks.length < 2 || heardTransactions.length === 0 ? undefined : heardAll());
  const blockPort = new ThreadPort<ChainMessage, unknown>(blocks.port1);
  blockPort.listen((message) => {
    heardBlocks.push(message);
    blockPort.post('taken');
    heard();
  });
  const transactionPort = new ThreadPort<AcceptedMessage, unknown>(accepted.port1);
  transactionPort.listen((message) => {
    heardTransactions.push(message);
    transactionPort.post('taken');
    heard();
  });
  client.connectFollower({ kind: 'follow', feed: 'chain', port: new ThreadPort(blocks.port2) });
  client.connectFollower({ kind: 'follow', feed: 'transactions', port: new ThreadPort(accepted.port2) });

  produce(writer.chain);
  const payment = makeTransaction(writer.chain, parameters, [transferJson('alice', 'bob', 1n)], ['alice']);
  const wrong = makeTransaction(writer.chain, parameters, [transferJson('alice', 'bob', 2n)], ['bob']);
  verifier.post(encodeVerifiedBatch([payment, wrong].map((verified, ticket) => ({ ticket, verified }))));
  const block = produce(writer.chain);
  await all;

  const [told] = heardTransactions;
  assert.ok(told?.kind === 'accepted');
  assert.deepEqual(
    decodeVerifiedBatch(told.bytes).map(({ verified: { id, signers } }) => ({ id, signers })),
    [{ id: payment.id, signers: payment.signers }],
  );
  const last = heardBlocks.at(-1);
  assert.ok(last?.kind === 'update');
  const [applied] = last.applied;
  assert.deepEqual([applied?.id, applied?.number, applied?.previous], [block.id, block.number, block.header.previous]);
  assert.equal(Buffer.from(applied?.transactionIds ?? []).toString('hex'), payment.id);
  await client.stop();
});
