import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Refusal } from '../../src/base/refusal.ts';
import { packBlock, type PackedBlock, type VerifiedBlock } from '../../src/blocks/block.ts';
import { blockSigner } from '../../src/blocks/verify.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import {
  assertSound,
  accountBalance,
  openChain,
  headPosition,
  produce,
  testParameters,
  makeTransaction,
  transferJson,
} from '../builders/chain.ts';

const parameters = testParameters();
const refusedAs =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code;

/** Blocks that one chain makes, with a transfer of that amount in each. */
function grow(chain: Chain, count: number, amount = 0, slot = 1): VerifiedBlock[] {
  return Array.from({ length: count }, () => {
    if (amount > 0) chain.accept(makeTransaction(chain, parameters, [transferJson('alice', 'bob', amount)], ['alice']));
    return produce(chain, slot);
  });
}

function pushAll(chain: Chain, blocks: readonly VerifiedBlock[]): void {
  for (const block of blocks) chain.push(block);
}

const blockIds = (blocks: Iterable<PackedBlock>): string[] => Array.from(blocks, ({ id }) => id);

/** Two chains that share two blocks. */
function parted(): { readonly here: Chain; readonly there: Chain; readonly store: MemoryStore } {
  const store = new MemoryStore();
  const [here, there] = [openChain(parameters, store), openChain(parameters)];
  pushAll(there, grow(here, 2));
  return { here, there, store };
}

test('the longer branch wins, and transactions of the other are pending again', () => {
  const { here, there, store } = parted();
  const mine = grow(here, 2, 7);
  const theirs = grow(there, 3, 0, 2);
  assert.deepEqual(here.push(theirs[0] ?? assert.fail()), { applied: [], undone: [] });
  assert.deepEqual(here.push(theirs[1] ?? assert.fail()), { applied: [], undone: [] });
  assert.equal(accountBalance(here, 'bob'), 10_000_000_000_014n);
  const switched = here.push(theirs[2] ?? assert.fail());
  assert.deepEqual(blockIds(switched.applied), blockIds(theirs));
  assert.deepEqual(switched.undone, blockIds(mine));
  assert.deepEqual(headPosition(here), headPosition(there));
  assert.equal(accountBalance(here, 'bob'), 10_000_000_000_000n);
  assertSound(here, parameters, store);
  // Both transfers are still valid there; they come back unless they refer to a block of the branch that is gone.
  assert.equal(here.pendingTransactions.length, 1);
  const [back, sent] = [here.pendingTransactions[0], mine[0]?.transactions[0]];
  assert.deepEqual([back?.id, back?.signers], [sent?.id, sent?.signers]);
  const reopened = openChain(parameters, store);
  assert.deepEqual(reopened.head, here.head);
});

test('a branch of equal length does not win, and a block that comes twice changes nothing', () => {
  const { here, there } = parted();
  const [mine] = grow(here, 1);
  const [theirs] = grow(there, 1, 0, 2);
  assert.deepEqual(here.push(theirs ?? assert.fail()), { applied: [], undone: [] });
  assert.deepEqual(here.push(mine ?? assert.fail()), { applied: [], undone: [] });
  assert.equal(here.head.id, mine?.id);
});

test('a branch with an invalid block changes nothing, not even what is pending', () => {
  const { here, there, store } = parted();
  grow(here, 1, 7);
  here.accept(makeTransaction(here, parameters, [transferJson('carol', 'dave', 3)], ['carol']));
  const before = { ...here.head };
  const [good, bad] = [...grow(there, 1, 0, 2), ...grow(there, 1, 5)];
  assert(good !== undefined && bad !== undefined);
  const forgedHeader = { ...bad.header, witness_signature: `1f${'11'.repeat(64)}` };
  const forged = { ...packBlock(forgedHeader, bad.transactions), signer: blockSigner({ header: forgedHeader }) };
  here.push(good);
  assert.throws(() => here.push(forged), Refusal);
  assert.deepEqual({ ...here.head }, before);
  assert.equal(here.pendingTransactions.length, 1);
  assertSound(here, parameters, store);
  // The good block is still known, so the true second one wins.
  assert.deepEqual(blockIds(here.push(bad).applied), blockIds([good, bad]));
});

test('a block that follows nothing known is refused, and so is one that is too old', () => {
  const { here, there } = parted();
  const [lost, next] = grow(there, 2, 0, 2);
  assert(lost !== undefined && next !== undefined);
  assert.throws(() => here.push(next), refusedAs('unlinkable_block'));
  assert.deepEqual(here.push(lost).applied, [lost]);
  assert.deepEqual(here.push(next).applied, [next]);
  const other = openChain(parameters);
  const [first] = grow(other, 1, 0, 3);
  grow(here, 60);
  assert(here.head.lastIrreversible > 1);
  assert.throws(() => here.push(first ?? assert.fail()), refusedAs('block_too_old'));
  assert.deepEqual(here.push(lost), { applied: [], undone: [] }, 'it is on the main branch, and known');
  assert.equal(here.judge(lost), 'known');
});

test('transactions that are not those of the header are refused before the block is kept', () => {
  const { here, there } = parted();
  const [block] = grow(there, 1, 5);
  assert(block !== undefined);
  assert.throws(() => here.push({ ...block, transactions: [] }), refusedAs('merkle_check_failed'));
  assert.deepEqual(here.push(block).applied, [block]);
});

test('a block that differs from its checkpoint is refused', () => {
  const { here, there } = parted();
  const [block] = grow(there, 1);
  assert(block !== undefined);
  const store = new MemoryStore();
  grow(here, 0);
  const guarded = openChain(parameters, store, new Map([[3, '0'.repeat(40)]]));
  for (let number = 1; number <= 2; number++) {
    const known = here.block(number);
    assert(known !== undefined);
    guarded.push({ ...known, transactions: [], signer: blockSigner(known) });
  }
  assert.throws(() => guarded.push(block), refusedAs('checkpoint_differs'));
});

test('the head can be taken back until it is irreversible, across a restart', () => {
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  const hashes = [chain.head.stateHash];
  for (let number = 0; number < 60; number++) {
    grow(chain, 1, 1 + number);
    hashes.push(chain.head.stateHash);
  }
  const reopened = openChain(parameters, store);
  while (reopened.head.number > reopened.head.lastIrreversible && reopened.head.number > 9) {
    reopened.undo();
    assert.equal(reopened.head.stateHash, hashes[reopened.head.number]);
  }
  assert.equal(reopened.head.number, 9);
  assert.throws(() => reopened.undo(), refusedAs('nothing_to_undo'));
  assertSound(reopened, parameters, store);
  grow(reopened, 3, 5);
});

test('many blocks in one write come to the same state as one by one; one bad block among them changes nothing', () => {
  const source = openChain(parameters);
  const blocks = grow(source, 120, 3);
  const store = new MemoryStore();
  const grouped = openChain(parameters, store);
  grouped.replay(blocks.slice(0, 50), { signatures: true });
  const [bad, ...rest] = blocks.slice(50, 100).toReversed();
  assert(bad !== undefined);
  assert.throws(
    () =>
      grouped.replay([...rest.toReversed(), { ...bad, header: { ...bad.header, timestamp: 1 } }], { signatures: true }),
    Refusal,
  );
  assert.equal(grouped.head.number, 50);
  grouped.replay(blocks.slice(50, 100), { signatures: false });
  pushAll(grouped, blocks.slice(100));
  assert.equal(grouped.head.stateHash, source.head.stateHash);
  assertSound(grouped, parameters, store);
});
