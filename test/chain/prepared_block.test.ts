import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { PreparedBlock } from '../../src/chain/pending/seal_block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import {
  assertSound,
  accountBalance,
  openChain,
  produce,
  testSecret,
  testParameters,
  makeTransaction,
  transferJson,
} from '../builders/chain.ts';
import { quickSignature } from '../builders/quick_signature.ts';

const parameters = testParameters();

interface Opened {
  readonly chain: Chain;
  readonly store: MemoryStore;
  send(amount: number): VerifiedTransaction;
  prepare(slot?: number): PreparedBlock;
}

function opened(): Opened {
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  produce(chain);
  return {
    ...{ chain, store },
    send(amount) {
      const transaction = makeTransaction(
        chain,
        parameters,
        [transferJson('alice', 'bob', amount, `${amount}`)],
        ['alice'],
      );
      chain.accept(transaction);
      return transaction;
    },
    prepare: (slot = 1) => chain.prepare(present(chain.findProductionSlot(chain.slotTime(slot)), 'a slot')),
  };
}

function signPrepared({ digest, header }: PreparedBlock): string {
  return quickSignature(digest, testSecret(header.witness));
}

test('a prepared block changes nothing until it is adopted, and then is the block that would have been sealed', () => {
  const [node, twin] = [opened(), opened()];
  for (const each of [node, twin]) each.send(1000);
  const prepared = node.prepare();
  assert.deepEqual([node.chain.head.number, node.chain.pendingTransactions.length], [1, 1]);
  const block = node.chain.adopt(prepared, signPrepared(prepared));
  assert.equal(block.id, produce(twin.chain).id);
  assert.equal(node.chain.head.stateHash, twin.chain.head.stateHash);
  assertSound(node.chain, parameters, node.store);
});

test('transactions are accepted while a block is signed, one that depends on another too; they follow it', () => {
  const node = opened();
  const first = node.send(1000);
  const before = accountBalance(node.chain, 'bob');
  const prepared = node.prepare();
  const later = [node.send(2000), node.send(3000)];
  const block = node.chain.adopt(prepared, signPrepared(prepared));
  assert.deepEqual(
    block.transactions.map(({ id }) => id),
    [first.id],
  );
  assert.equal(accountBalance(node.chain, 'bob') - before, 1000n);
  assert.deepEqual(
    node.chain.pendingTransactions.map(({ id }) => id),
    later.map(({ id }) => id),
  );
  assert.equal(produce(node.chain).transactions.length, 2);
  assert.equal(accountBalance(node.chain, 'bob') - before, 6000n);
  assertSound(node.chain, parameters, node.store);
});

test('a block whose head has moved meanwhile is dropped, and its transactions wait for the next one', () => {
  const [node, other] = [opened(), opened()];
  const mine = node.send(1000);
  const prepared = node.prepare(2);
  node.chain.push(produce(other.chain));
  const { head } = node.chain;
  assert.throws(() => node.chain.adopt(prepared, signPrepared(prepared)), { code: 'block_not_on_head' });
  assert.equal(node.chain.head.id, head.id);
  assert.deepEqual(
    node.chain.pendingTransactions.map(({ id }) => id),
    [mine.id],
  );
  assert.equal(produce(node.chain).transactions.length, 1);
  assertSound(node.chain, parameters, node.store);
});

test('a head that has moved and come back takes the block', () => {
  const node = opened();
  node.send(1000);
  const prepared = node.prepare();
  produce(node.chain);
  node.chain.undo();
  const block = node.chain.adopt(prepared, signPrepared(prepared));
  assert.equal(block.transactions.length, 1);
  assertSound(node.chain, parameters, node.store);
});

test('a signature of another key is refused before anything is changed', () => {
  const node = opened();
  const prepared = node.prepare();
  const wrong = quickSignature(prepared.digest, testSecret('alice'));
  assert.throws(() => node.chain.adopt(prepared, wrong), { code: 'wrong_signing_key' });
  assert.equal(node.chain.head.number, 1);
});
