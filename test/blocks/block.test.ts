import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  packBlock,
  packTransactions,
  readBlock,
  readHeader,
  readOwnBlock,
  signedBlock,
} from '../../src/blocks/block.ts';
import { blockHeader, blockId, headerDigest, LARGEST_HEADER_BYTES } from '../../src/blocks/header.ts';
import { merkleRoot } from '../../src/blocks/merkle.ts';
import { blockSigner, verifyBlock } from '../../src/blocks/verify.ts';
import { ByteWriter } from '../../src/codec/bytes.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { profiles } from '../../src/values/profile.ts';
import { publicKeyText } from '../../src/values/public_key.ts';
import { recordedList, member, recording, recordedText, type Recorded } from '../builders/recordings.ts';

const profile = profiles['lineage'];
assert(profile !== undefined);
const encoding: EncodingOptions = { ...profile, dialect: 'legacy', operationForm: 'pair' };
const vectors = recording('vectors.json');
const sdk = recording('vectors-sdk.json');

test('merkle roots are the recorded ones for 0 to 7 leaves', () => {
  for (const entry of recordedList(sdk, 'node.block.merkle')) {
    const leaves = recordedList(entry, 'leaf_digests').map(String);
    assert.equal(merkleRoot(leaves), recordedText(entry, 'root'));
  }
});

test('headers with every extension have the recorded bytes, digest and id', () => {
  for (const entry of recordedList(sdk, 'node.block.blocks')) {
    const block = readBlock(Buffer.from(recordedText(entry, 'block_hex'), 'hex'));
    const header = new ByteWriter();
    blockHeader.write(header, block.header);
    assert.equal(Buffer.from(header.view()).toString('hex'), recordedText(entry, 'header_hex'));
    assert.equal(Buffer.from(headerDigest(block.header)).toString('hex'), recordedText(entry, 'digest'));
    assert.equal(block.id, recordedText(entry, 'block_id'));
    assert.equal(block.number, member(entry, 'block_num'));
    assert.equal(Buffer.from(block.packed).toString('hex'), recordedText(entry, 'block_hex'));
    assert.equal(merkleRoot(block.transactions.map(({ leaf }) => leaf)), block.header.transaction_merkle_root);
    const { transactions } = block;
    assert.deepEqual(
      signedBlock.toJson(
        { ...block.header, transactions: transactions.map(({ transaction }) => transaction) },
        encoding,
      ),
      member(entry, 'json'),
    );
  }
});

/** The members of a recorded block that are derived from the others. */
function withoutDerived(block: Recorded): Recorded {
  assert(typeof block === 'object' && block !== null && !Array.isArray(block));
  const { block_id, signing_key, transaction_ids, ...own } = block;
  assert(block_id !== undefined && signing_key !== undefined && transaction_ids !== undefined);
  return own;
}

test('every recorded block has the recorded id, signing key and transaction ids', () => {
  for (const entry of recordedList(vectors, 'blocks')) {
    const recorded = member(entry, 'block_api_block');
    const block = packTransactions(signedBlock.fromJson(withoutDerived(recorded), encoding));
    assert.equal(block.id, recordedText(recorded, 'block_id'));
    assert.equal(publicKeyText(blockSigner(block) ?? '', 'SPH'), recordedText(recorded, 'signing_key'));
    assert.deepEqual(
      block.transactions.map(({ id }) => id),
      recordedList(recorded, 'transaction_ids'),
    );
    assert.equal(merkleRoot(block.transactions.map(({ leaf }) => leaf)), block.header.transaction_merkle_root);
    const again = readOwnBlock(block.packed);
    assert.deepEqual([again.id, again.number, readHeader(block.packed)], [block.id, block.number, block.header]);
    assert.deepEqual(packBlock(block.header, again.transactions).packed, block.packed);
    assert.equal(blockId(block.header), block.id);
  }
});

test('a transaction that was verified before is not verified again, unless its signatures differ', () => {
  const recorded = recordedList(vectors, 'blocks').find(
    (entry) => recordedList(member(entry, 'block_api_block'), 'transactions').length > 0,
  );
  assert(recorded !== undefined);
  const chainId = recordedText(vectors, 'chain_id');
  const block = packTransactions(signedBlock.fromJson(withoutDerived(member(recorded, 'block_api_block')), encoding));
  const verified = verifyBlock(chainId, block);
  const [first] = verified.transactions;
  assert(first !== undefined);
  assert.equal(verifyBlock(chainId, block, () => first).transactions[0], first);
  const other = verifyBlock(chainId, block, () => ({ ...first, leaf: '0'.repeat(64), signers: [] }));
  assert.deepEqual(other.transactions[0]?.signers, first.signers);
});

test('no header is larger than the space that is kept for it', () => {
  const block = packBlock(
    {
      previous: 'f'.repeat(40),
      timestamp: 0xffff_ffff,
      witness: 'z'.repeat(32),
      transaction_merkle_root: 'f'.repeat(40),
      extensions: [{ index: 0 }, { index: 1, version: 1 }, { index: 2, hf_version: 1, hf_time: 1 }],
      witness_signature: '1'.repeat(130),
    },
    [],
  );
  assert(block.packed.length <= LARGEST_HEADER_BYTES);
});

test('a block whose bytes are not those that we would write has the ids and the size of those that we would', () => {
  const recorded = recordedList(vectors, 'blocks').find(
    (entry) => recordedList(member(entry, 'block_api_block'), 'transactions').length > 0,
  );
  assert(recorded !== undefined);
  const block = packTransactions(signedBlock.fromJson(withoutDerived(member(recorded, 'block_api_block')), encoding));
  const { headerBytes, packed, transactions } = block;
  const [first] = transactions;
  assert(first !== undefined && transactions.length < 0x80);
  /** A number in two bytes where one is enough. */
  const overlong = (bytes: Uint8Array, at: number): Uint8Array =>
    Buffer.concat([bytes.subarray(0, at), Buffer.of((bytes[at] ?? 0) | 0x80, 0), bytes.subarray(at + 1)]);
  const places = [headerBytes, headerBytes + 1 + first.unsignedBytes, headerBytes - 66];
  for (const received of [packed, ...places.map((at) => overlong(packed, at))]) {
    const read = readBlock(received);
    assert.deepEqual(
      [read.id, read.number, read.headerBytes, Buffer.from(read.packed)],
      [block.id, block.number, headerBytes, Buffer.from(packed)],
    );
    assert.deepEqual(
      read.transactions.map((one) => [one.id, one.leaf, Buffer.from(one.packed)]),
      transactions.map((one) => [one.id, one.leaf, Buffer.from(one.packed)]),
    );
    assert.equal(read.packed === received, received === packed, 'only what is right is not copied');
  }
});
