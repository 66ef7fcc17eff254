import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedTransaction } from '../../../src/blocks/transaction.ts';
import type { Json } from '../../../src/codec/json.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { timeText } from '../../../src/values/time.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { formSize } from '../../builders/forms.ts';
import {
  produce,
  testParameters,
  makeTransaction,
  transferJson,
  type TransactionOptions,
} from '../../builders/chain.ts';
import { NodeOfMethods, type NodeOptions } from './node_of_methods.ts';

const METHOD = 'transaction_status_api.find_transaction';

interface Sent {
  readonly id: string;
  readonly expiration: string;
}

/** A node whose blocks are made by the test, and what it says of payments. */
class Payments {
  readonly node: NodeOfMethods;

  constructor(options: NodeOptions = {}) {
    this.node = new NodeOfMethods({ producesNoBlocks: true, ...options });
  }

  /** A signed payment. */
  payment(memo: string, options: TransactionOptions = {}): Sent & { readonly trx: Json } {
    const { chain, parameters } = this.node;
    const { id, transaction } = makeTransaction(
      chain,
      parameters,
      [transferJson('alice', 'bob', 1n, memo)],
      ['alice'],
      options,
    );
    const trx = signedTransaction.toJson(transaction, {
      ...parameters.profile,
      dialect: 'default',
      operationForm: 'pair',
    });
    return { id, expiration: timeText(transaction.expiration), trx };
  }

  /** A payment that the node has accepted. */
  async sent(memo: string, options: TransactionOptions = {}): Promise<Sent> {
    const { trx, ...payment } = this.payment(memo, options);
    await this.node.result('network_broadcast_api.broadcast_transaction', { trx });
    return payment;
  }

  async standing({ id, expiration }: Sent, knowsExpiration = false): Promise<unknown> {
    return await this.node.result(METHOD, { transaction_id: id, ...(knowsExpiration ? { expiration } : {}) });
  }

  /** Makes blocks until that one is final. */
  untilFinal(number: number): void {
    for (let made = 0; this.node.chain.head.lastIrreversible < number; made++) {
      assert.ok(made < 200, `block ${number} does not become final`);
      produce(this.node.chain);
    }
  }
}

test('a payment is unknown, pending, in a block and final, one after the other', async () => {
  const payments = new Payments();
  const { chain } = payments.node;
  const { trx, ...payment } = payments.payment('one');
  assert.deepEqual(await payments.standing(payment), { status: 'unknown' });
  assert.deepEqual(await payments.standing(payment, true), { status: 'unknown' });
  await payments.node.result('network_broadcast_api.broadcast_transaction', { trx });
  assert.deepEqual(await payments.standing(payment), { status: 'pending' });
  produce(chain);
  const { number } = chain.head;
  const isFinal = chain.head.lastIrreversible >= number;
  assert.deepEqual(await payments.standing(payment), { status: isFinal ? 'final' : 'in_block', block_num: number });
  payments.untilFinal(number);
  for (const knows of [true, false])
    assert.deepEqual(await payments.standing(payment, knows), { status: 'final', block_num: number });
});

test('a payment that a change of branch takes back is pending again, and in its new block; one that an order drops is told with the reason', async () => {
  const payments = new Payments();
  const { node } = payments;
  const payment = await payments.sent('forked');
  produce(node.chain);
  const before = node.chain.head.number;
  await node.result('debug_api.fork', { blocks: 1, keep_transactions: true });
  const again: { status?: unknown; block_num?: unknown } = Object(await payments.standing(payment));
  assert.ok(again.status === 'pending' || Number(again.block_num) >= before, JSON.stringify(again));
  const waiting = await payments.sent('dropped');
  node.chain.revert(node.chain.head.number);
  assert.deepEqual(await payments.standing(waiting), {
    status: 'dropped',
    reason: {
      name: 'head_reverted',
      message:
        'the chain has gone back to an earlier block, and what waited for a block was dropped; send the transaction again',
    },
  });
  // Sent again, it counts as any other.
  const { trx } = payments.payment('dropped');
  await node.result('network_broadcast_api.broadcast_transaction', { trx });
  produce(node.chain);
  assert.match(JSON.stringify(await payments.standing(waiting)), /"(?:in_block|final)"/);
});

test('a payment has expired once the last irreversible block is as late as its expiration, and not before', async () => {
  const payments = new Payments();
  const { chain } = payments.node;
  const unsent = payments.payment('never sent');
  const dropped = await payments.sent('dropped');
  chain.revert(chain.head.number);
  const end = chain.head.time + 60;
  let seen = 0;
  for (let made = 0; made < 200 && seen < 2; made++) {
    produce(chain);
    const { lastIrreversible, number } = chain.head;
    const finalTime =
      lastIrreversible === number ? chain.head.time : (chain.block(lastIrreversible)?.header.timestamp ?? 0);
    const isOver = finalTime >= end;
    if (isOver) seen++;
    assert.deepEqual(
      await payments.standing(unsent, true),
      { status: isOver ? 'expired' : 'unknown' },
      `final at ${finalTime}, ends at ${end}`,
    );
    assert.deepEqual(await payments.standing(unsent), { status: 'unknown' });
    assert.match(JSON.stringify(await payments.standing(dropped)), isOver ? /"expired"/ : /"dropped".*"head_reverted"/);
  }
  assert.equal(seen, 2, 'it never expired');
});

test('a restart forgets what waited and what was dropped, and keeps what stands in blocks', async () => {
  const store = new MemoryStore();
  const payments = new Payments({ store });
  const { chain } = payments.node;
  const placed = await payments.sent('placed');
  produce(chain);
  const { number } = chain.head;
  const dropped = await payments.sent('dropped');
  chain.revert(number);
  const waiting = await payments.sent('waiting');
  payments.node.stop();
  const again = new Payments({ store, isEmpty: true });
  assert.match(JSON.stringify(await again.standing(placed)), new RegExp(`"(?:in_block|final)","block_num":${number}`));
  for (const payment of [dropped, waiting])
    assert.deepEqual(await again.standing(payment, true), { status: 'unknown' });
});

test('a node that keeps few blocks says of what may stand in older ones that it is too old, and of the rest what it knows', async () => {
  // Blocks of a minute: an hour, which a transaction lives at most, is soon over.
  const parameters = testParameters({ genesis_time: '2026-01-01T00:00:00', block_interval: 60 });
  const payments = new Payments({ blocksKept: 10, isEmpty: true, parameters });
  const { chain } = payments.node;
  for (let count = 0; count < 3; count++) produce(chain);
  const inHalfAnHour = { expiration: chain.head.time + 1800 };
  const old = await payments.sent('old', inHalfAnHour);
  const unsent = payments.payment('never sent', inHalfAnHour);
  for (let count = 0; count < 250; count++) produce(chain);
  for (const payment of [old, unsent]) assert.deepEqual(await payments.standing(payment, true), { status: 'too_old' });
  assert.deepEqual(await payments.standing(unsent), { status: 'unknown' });
  const late = await payments.sent('late', { expiration: chain.head.time + 600 });
  assert.deepEqual(await payments.standing(late, true), { status: 'pending' });
  assert.deepEqual(
    await payments.standing(payments.payment('late and never sent', { expiration: chain.head.time + 600 }), true),
    {
      status: 'unknown',
    },
  );
});

const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 6, long: 100 });

test('whatever happens to a chain, what was told as final or expired stays so, and each payment is where its blocks say', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const randomSource = new RandomSource(seed);
    const payments = new Payments();
    const { node } = payments;
    const sent: Sent[] = [];
    const settled = new Map<string, unknown>();
    for (let step = 0; step < 25; step++) {
      const cast = randomSource.roll(100);
      if (cast < 45)
        sent.push(
          await payments.sent(`${seed} ${step}`, { expiration: node.chain.head.time + 6 + randomSource.roll(40) }),
        );
      else if (cast < 80) produce(node.chain, 1 + randomSource.roll(3));
      else if (cast < 90 && node.chain.head.number - node.chain.head.lastIrreversible > 3)
        await node.result('debug_api.fork', {
          blocks: 1 + randomSource.roll(2),
          keep_transactions: randomSource.chance(50),
        });
      else if (node.chain.head.number > node.chain.head.lastIrreversible) node.chain.undo();
      for (const payment of sent) {
        const told: { status?: unknown; block_num?: unknown } = Object(await payments.standing(payment, true));
        const text = JSON.stringify(told);
        const { head } = node.chain;
        const isInBlock = told.status === 'in_block' || told.status === 'final';
        const ids = isInBlock ? (node.chain.block(Number(told.block_num))?.transactions.map(({ id }) => id) ?? []) : [];
        assert.equal(isInBlock, ids.includes(payment.id), `seed ${seed}, step ${step}: ${text}`);
        if (isInBlock) assert.equal(told.status === 'final', Number(told.block_num) <= head.lastIrreversible);
        const before = settled.get(payment.id);
        if (before !== undefined) assert.equal(text, before, `seed ${seed}, step ${step}`);
        if (told.status === 'final' || told.status === 'expired') settled.set(payment.id, text);
      }
    }
    node.stop();
  }
});
