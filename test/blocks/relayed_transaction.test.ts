import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readRelayedTransaction } from '../../src/blocks/transaction.ts';
import { makeTransaction, openChain, produce, testParameters, transferJson } from '../builders/chain.ts';

/** A signature and how many there are. */
const SIGNED_BYTES = 66;

test('a transaction of a peer is read from the bytes that nodes write, and each other form is refused by its name', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  produce(chain);
  const { packed, unsignedBytes, id, leaf } = makeTransaction(
    chain,
    parameters,
    [transferJson('alice', 'bob', 1)],
    ['alice'],
  );
  const read = readRelayedTransaction(packed, unsignedBytes);
  assert.deepEqual([read.id, read.leaf, read.packed], [id, leaf, packed]);
  assert.throws(() => readRelayedTransaction(packed, unsignedBytes - 1), { code: 'malformed_bytes' });
  // The number of signatures in two bytes.
  const at = packed.length - SIGNED_BYTES;
  const longer = Buffer.concat([packed.subarray(0, at), Buffer.of(0x81, 0), packed.subarray(at + 1)]);
  assert.throws(() => readRelayedTransaction(longer, unsignedBytes), { code: 'signatures_written_otherwise' });
});
