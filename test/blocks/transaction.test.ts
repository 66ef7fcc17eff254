import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PackedVerifiedTransaction } from '../../src/blocks/packed_verified_transaction.ts';
import { verifyTransaction } from '../../src/blocks/verify.ts';
import {
  copyTransaction,
  packTransaction,
  readOwnTransaction,
  readTransaction,
  signedTransaction,
  signingDigest,
  transactionId,
  type PackedTransaction,
} from '../../src/blocks/transaction.ts';
import { ByteReader } from '../../src/codec/bytes.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { PlainJson } from '../../src/codec/plain_json.ts';
import { profiles } from '../../src/values/profile.ts';
import { publicKeyText } from '../../src/values/public_key.ts';
import { recordedList, member, recording, recordedText } from '../builders/recordings.ts';

const profile = profiles['lineage'];
assert(profile !== undefined);
const encoding: EncodingOptions = { ...profile, dialect: 'legacy', operationForm: 'pair' };
const vectors = recording('vectors.json');
const sdk = recording('vectors-sdk.json');

test('every recorded transaction packs to the recorded bytes, with the recorded id, digest and keys', () => {
  const chainId = recordedText(vectors, 'chain_id');
  const recorded = recordedList(vectors, 'operations').filter((entry) => member(entry, 'accepted') === true);
  assert(recorded.length > 50);
  for (const entry of recorded) {
    const packed = packTransaction(signedTransaction.fromJson(member(entry, 'signed_transaction'), encoding));
    assert.equal(Buffer.from(packed.packed).toString('hex'), recordedText(entry, 'transaction_hex'));
    assert.equal(packed.id, recordedText(entry, 'transaction_id'));
    assert.equal(
      Buffer.from(signingDigest(chainId, packed)).toString('hex'),
      recordedText(entry, 'transaction_digest'),
    );
    const { signers } = verifyTransaction(chainId, packed);
    assert.deepEqual(
      new Set(signers.map((key) => publicKeyText(key ?? '', 'SPH'))),
      new Set(recordedList(entry, 'public_keys')),
    );
  }
});

test('a transaction that is copied from its text is the one that reading it gives', () => {
  let copies = 0;
  for (const entry of recordedList(vectors, 'operations')) {
    const read = readTransaction(new ByteReader(Buffer.from(recordedText(entry, 'transaction_hex'), 'hex')));
    const json = signedTransaction.toJson(read.transaction, encoding);
    const copy = copyTransaction(new PlainJson(Buffer.from(writeJson(json))), encoding);
    if (copy === undefined) continue;
    copies++;
    const turned = Object.fromEntries(Object.entries(json ?? {}).toReversed());
    const other = copyTransaction(new PlainJson(Buffer.from(writeJson(turned))), encoding);
    assert.deepEqual([other && packTransaction(other).leaf, other && packTransaction(other).id], [read.leaf, read.id]);
    const packed = packTransaction(copy);
    assert.deepEqual([packed.id, packed.leaf, packed.unsignedBytes], [read.id, read.leaf, read.unsignedBytes]);
    assert.deepEqual(Buffer.from(packed.packed), Buffer.from(read.packed));
    assert.deepEqual(signedTransaction.toJson(copy, encoding), json);
  }
  assert.ok(copies > 30, `${copies} are plain`);
});

test('a transaction that was written reads back as itself, whoever reads it', () => {
  for (const entry of recordedList(vectors, 'operations')) {
    const bytes = Buffer.from(recordedText(entry, 'transaction_hex'), 'hex');
    const fromWire = readTransaction(new ByteReader(bytes));
    const fromDisk = readOwnTransaction(bytes, new ByteReader(bytes));
    for (const other of [fromDisk, handedOver(fromWire)]) {
      assert.equal(other.id, fromWire.id);
      assert.equal(other.leaf, fromWire.leaf);
      assert.equal(other.unsignedBytes, fromWire.unsignedBytes);
      assert.deepEqual(
        signedTransaction.toJson(other.transaction, encoding),
        signedTransaction.toJson(fromWire.transaction, encoding),
      );
    }
    assert.equal(transactionId(fromWire.transaction), fromWire.id);
  }
});

test('transactions of another serialiser have the ids, digests and leaves that the node computed', () => {
  for (const entry of recordedList(sdk, 'sdk.transactions_agreeing_with_node')) {
    const packed = readTransaction(new ByteReader(Buffer.from(recordedText(entry, 'signed_tx_hex'), 'hex')));
    assert.equal(packed.id, recordedText(entry, 'transaction_id'));
    assert.equal(packed.leaf, recordedText(entry, 'merkle_digest'));
    assert.equal(
      Buffer.from(signingDigest(recordedText(sdk, 'chain_id'), packed)).toString('hex'),
      recordedText(entry, 'sig_digest'),
    );
  }
});

/** The transaction as it is behind a change of threads. */
function handedOver({ id, leaf, packed, unsignedBytes }: PackedTransaction): PackedVerifiedTransaction {
  const message = Buffer.concat([Buffer.from(leaf, 'hex'), packed]);
  return new PackedVerifiedTransaction({
    id,
    signers: [],
    packed: message.subarray(leaf.length / 2),
    unsignedBytes,
    message,
    leafAt: 0,
  });
}
