import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Refusal } from '../../../../src/base/refusal.ts';
import { packTransactions, type SignedBlock } from '../../../../src/blocks/block.ts';
import { merkleRoot } from '../../../../src/blocks/merkle.ts';
import { BlockIngress } from '../../../../src/node/threads/broadcasts/block_ingress.ts';
import { Broadcasts } from '../../../../src/node/threads/broadcasts/broadcasts.ts';
import type { Writer } from '../../../../src/node/threads/writer/writer.ts';
import { MemoryStore } from '../../../../src/storage/memory.ts';
import { openChain, produce, testParameters, makeTransaction, transferJson } from '../../../builders/chain.ts';
import { directVerifiers } from '../../../../src/verifiers/direct_verifiers.ts';
import { directWriter } from '../../../builders/direct_writer.ts';
import { HandClock } from '../../../builders/hand_clock.ts';

const parameters = testParameters();

/** Takes blocks as a node does, and counts what it lets be verified. */
class Node {
  readonly chain = openChain(parameters);
  readonly writer: Writer;
  readonly #ingress: BlockIngress;
  verified = 0;

  constructor({ ownsTime = false } = {}) {
    const clock = new HandClock((parameters.genesis.genesis_time + 30) * 1000);
    const { writer, client } = directWriter({ parameters, store: new MemoryStore(), clock });
    this.writer = writer;
    const direct = directVerifiers(parameters, this.chain.committed);
    const verifiers: ConstructorParameters<typeof BlockIngress>[0]['verifiers'] = {
      recover: (digest, signatures) => direct.recover(digest, signatures),
      verifyTransactions: (transactions) => {
        this.verified += transactions.length;
        return direct.verifyTransactions(transactions);
      },
    };
    const broadcasts = new Broadcasts(
      { queuedBroadcasts: 1, parkedBroadcasts: 1, waitingForFinality: 1, finalityMs: 600_000 },
      clock,
    );
    this.#ingress = new BlockIngress({ parameters, clock, ownsTime, broadcasts, writer: client, verifiers });
  }

  async pushRefusal(block: SignedBlock): Promise<string | undefined> {
    return await this.#ingress.pushBlock(block).then(
      () => undefined,
      (error: unknown) => (error instanceof Refusal ? error.code : assert.fail(String(error))),
    );
  }
}

/** A block with a payment as another node makes it. */
function makeBlock(node: Node): SignedBlock {
  node.chain.accept(makeTransaction(node.chain, parameters, [transferJson('alice', 'bob', 1n)], ['alice']));
  const { header, transactions } = produce(node.chain);
  return { ...header, transactions: transactions.map(({ transaction }) => transaction) };
}

/** The same with other transactions, and the root that they have; nobody has signed that. */
function withTransactions(block: SignedBlock, transactions: SignedBlock['transactions']): SignedBlock {
  const leaves = packTransactions({ ...block, transactions }).transactions.map(({ leaf }) => leaf);
  return { ...block, transactions, transaction_merkle_root: merkleRoot(leaves) };
}

test('nobody makes a node look for signers with a block that it can refuse without', async () => {
  const node = new Node();
  // The first block is judged behind the hardforks that it applies.
  assert.equal(await node.pushRefusal(makeBlock(node)), undefined);
  node.verified = 0;
  const block = makeBlock(node);
  const [payment = assert.fail('a payment')] = block.transactions;
  const [signature = ''] = payment.signatures;
  const copies = { ...payment, signatures: Array.from({ length: 100 }, () => signature) };
  const other = `00000000${'1'.repeat(32)}`;
  for (const [wrong, code] of [
    [withTransactions(block, [copies]), 'signatures_not_in_order'],
    [{ ...block, transactions: [payment, payment] }, 'merkle_check_failed'],
    [withTransactions(block, [payment, { ...payment, expiration: payment.expiration + 1 }]), 'block_signature'],
    [{ ...block, previous: other }, 'unlinkable_block'],
    [{ ...block, witness: 'alice' }, undefined],
    [{ ...block, witness_signature: signature }, 'block_signature'],
  ] as const) {
    const refused = await node.pushRefusal(wrong);
    if (code === undefined) assert.notEqual(refused, undefined);
    else assert.equal(refused, code);
    assert.equal(node.verified, 0, code);
  }
  assert.equal(await node.pushRefusal(block), undefined);
  assert.equal(node.verified, 1);
  assert.equal(node.writer.chain.head.id, node.chain.head.id);
  assert.equal(await node.pushRefusal(block), undefined);
  assert.equal(node.verified, 1, 'a block that is known');
});

test('a block ahead of the clock is refused, but where the chain moves its time itself', async () => {
  for (const ownsTime of [false, true]) {
    const node = new Node({ ownsTime });
    const { header } = produce(node.chain, 100);
    assert.equal(await node.pushRefusal({ ...header, transactions: [] }), ownsTime ? undefined : 'block_in_future');
  }
});
