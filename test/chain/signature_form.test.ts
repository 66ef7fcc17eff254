import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Refusal } from '../../src/base/refusal.ts';
import { packBlock, readBlock, type VerifiedBlock } from '../../src/blocks/block.ts';
import { isSameBlock } from '../../src/blocks/header.ts';
import { blockSigner, verifyBlock, verifyTransaction } from '../../src/blocks/verify.ts';
import { withOneForm } from '../../src/blocks/signature_form.ts';
import { packTransaction, type PackedTransaction, type VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { assertSound, openChain, produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';
import { withOtherS } from '../builders/chosen_signatures.ts';
import { isLong } from '../builders/forms.ts';

const refusedAs =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code;

const changed = (signature: string, change: (bytes: Buffer) => Uint8Array): string =>
  Buffer.from(change(Buffer.from(signature, 'hex'))).toString('hex');

/** Variants of a signature that need no key: the other header byte, the other s, and both. */
const withLowHeader = (signature: string): string =>
  changed(signature, (bytes) => (bytes.writeUInt8(bytes.readUInt8(0) - 4), bytes));
const mirrored = (signature: string): string => changed(signature, withOtherS);
const others: readonly ((signature: string) => string)[] = [
  withLowHeader,
  mirrored,
  (signature) => withLowHeader(mirrored(signature)),
];

const transfer = (chain: Chain, parameters: ChainParameters, amount: number): VerifiedTransaction =>
  makeTransaction(chain, parameters, [transferJson('alice', 'bob', amount)], ['alice']);

function signedOtherwise({ transaction }: PackedTransaction, change: (signature: string) => string): PackedTransaction {
  return packTransaction({ ...transaction, signatures: transaction.signatures.map(change) });
}

function blockSignedOtherwise(block: VerifiedBlock, change: (signature: string) => string): VerifiedBlock {
  const header = { ...block.header, witness_signature: change(block.header.witness_signature) };
  return { ...packBlock(header, block.transactions), signer: blockSigner({ header }) };
}

/** A transfer that two people have to sign. */
const shared = (amount: number): Json[] => [transferJson('alice', 'bob', amount), transferJson('carol', 'bob', amount)];

test('a signature of another form is refused, but not in the lineage', () => {
  for (const rules of ['interface', 'lineage'] as const) {
    const parameters = testParameters({}, rules);
    const [chain, follower] = [openChain(parameters), openChain(parameters)];
    follower.push(produce(chain));
    let accepted = 0;
    for (let amount = 1; amount <= 12; amount++) {
      for (const change of others) {
        const other = verifyTransaction(
          parameters.chainId,
          signedOtherwise(transfer(chain, parameters, amount), change),
        );
        try {
          chain.accept(other);
          accepted++;
        } catch (error) {
          assert(
            error instanceof Refusal && ['signature_not_canonical', 'duplicate_transaction'].includes(error.code),
            String(error),
          );
        }
      }
    }
    // About every second high s passes the bound of the lineage, and every header byte.
    assert(rules === 'interface' ? accepted === 0 : accepted >= 12);
    const block = produce(chain);
    const same = blockSignedOtherwise(block, withLowHeader);
    assert.equal(same.signer, block.signer);
    assert(isSameBlock(same.header, block.header) && same.id !== block.id);
    assert(!isSameBlock({ ...block.header, timestamp: block.header.timestamp + 1 }, block.header));
    if (rules === 'lineage') assert.deepEqual([...follower.push(same).applied], [same]);
    else assert.throws(() => follower.push(same), refusedAs('signature_not_canonical'));
    if (rules === 'interface')
      for (const change of others) assert.throws(() => follower.push(blockSignedOtherwise(block, change)), Refusal);
  }
});

test('several signatures stand in ascending order, but not in the lineage; a repeated one is refused by both', () => {
  for (const rules of ['interface', 'lineage'] as const) {
    const parameters = testParameters({}, rules);
    const chain = openChain(parameters);
    produce(chain);
    const { transaction } = makeTransaction(chain, parameters, shared(1), ['alice', 'carol']);
    const [first = '', second = ''] = transaction.signatures;
    const sent = (signatures: readonly string[]): VerifiedTransaction =>
      verifyTransaction(parameters.chainId, packTransaction({ ...transaction, signatures }));
    assert.throws(() => chain.accept(sent([first, first, second])), refusedAs('duplicate_signature'));
    if (rules === 'interface')
      assert.throws(() => chain.accept(sent([second, first])), refusedAs('signatures_not_in_order'));
    chain.accept(sent(rules === 'interface' ? [first, second] : [second, first]));
  }
});

test('what the front makes of posted signatures is accepted under the same id', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  produce(chain);
  for (let amount = 1; amount <= 8; amount++) {
    const good = makeTransaction(chain, parameters, shared(amount), ['alice', 'carol']);
    for (const change of others) {
      const reversed = packTransaction({ ...good.transaction, signatures: good.transaction.signatures.toReversed() });
      const formed = withOneForm(signedOtherwise(reversed, change));
      assert.deepEqual([formed.id, formed.leaf], [good.id, good.leaf]);
      assert.deepEqual(formed.transaction.signatures, good.transaction.signatures);
    }
    assert.equal(withOneForm(good), good);
    chain.accept(good);
  }
});

test('what is no signature stays as it was posted, and is refused', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  produce(chain);
  const zero = '00'.repeat(32);
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
  const unreadable = [
    '1a' + '11'.repeat(64),
    '23' + '11'.repeat(64),
    `1b${zero}${order}`,
    `1f${order}${'11'.repeat(32)}`,
  ];
  for (const signature of unreadable) {
    const posted = signedOtherwise(transfer(chain, parameters, 5), () => signature);
    const formed = withOneForm(posted);
    assert.equal(formed.transaction.signatures[0]?.slice(2), signature.slice(2));
    assert.throws(() => chain.accept(verifyTransaction(parameters.chainId, formed)), Refusal);
  }
});

/** Steps of seven come to each place of a byte. */
const NEXT_BIT = isLong ? 1 : 7;

test('whichever bit of a block is another, it is refused or the same block', () => {
  const parameters = testParameters();
  const store = new MemoryStore();
  const [chain, follower] = [openChain(parameters), openChain(parameters, store)];
  follower.push(produce(chain));
  chain.accept(makeTransaction(chain, parameters, shared(3), ['alice', 'carol']));
  chain.accept(transfer(chain, parameters, 4));
  const block = produce(chain);
  const before = { ...follower.head };
  let isSame = 0;
  for (let bit = 0; bit < block.packed.length * 8; bit += NEXT_BIT) {
    const bytes = block.packed.slice();
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    try {
      const other = verifyBlock(parameters.chainId, readBlock(bytes));
      follower.push(other);
      assert.equal(other.id, block.id, `bit ${bit}`);
      assert.deepEqual(Buffer.from(other.packed), Buffer.from(block.packed));
      isSame++;
      follower.undo();
    } catch (error) {
      assert(error instanceof Refusal, `bit ${bit}: ${String(error)}`);
    }
  }
  assert(isSame < 8);
  assert.deepEqual({ ...follower.head }, before);
  follower.push(block);
  assertSound(follower, parameters, store);
});
