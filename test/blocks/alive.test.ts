import assert from 'node:assert/strict';
import { test } from 'node:test';

import { aliveDigest, hasValidSignature, type Alive } from '../../src/blocks/alive.ts';
import { signWithSecret } from '../../src/blocks/sign_transaction.ts';
import { sha256, sha512 } from '../../src/crypto/hashes.ts';
import { ByteWriter } from '../../src/codec/bytes.ts';
import { present } from '../../src/base/assert.ts';
import { testKey, testSecret } from '../builders/chain.ts';

const [CHAIN, OTHER] = ['ab'.repeat(32), 'cd'.repeat(32)];
const said: Alive = { witness: 'alice', key: testKey('alice'), slot: 600_000_000, head: '000003e8'.padEnd(40, '5') };

const signed = (alive: Alive, secret = testSecret('alice'), chain = CHAIN): Alive & { signature: string } => ({
  ...alive,
  signature: present(signWithSecret(aliveDigest(chain, alive), secret), 'a signature'),
});

test('an alive is signed by the key that it names, as a whole, and for one chain', () => {
  const right = signed(said);
  assert.ok(hasValidSignature(CHAIN, right));
  const wrong = [
    { witness: 'bob' },
    { key: testKey('bob') },
    { slot: said.slot + 1 },
    { head: '000003e8'.padEnd(40, '6') },
  ];
  for (const change of wrong) assert.ok(!hasValidSignature(CHAIN, { ...right, ...change }), JSON.stringify(change));
  assert.ok(!hasValidSignature(OTHER, right));
  assert.ok(!hasValidSignature(CHAIN, signed(said, testSecret('bob'))));
  for (const key of ['00'.repeat(33), 'ff'.repeat(33), '02' + 'ff'.repeat(32)])
    assert.ok(!hasValidSignature(CHAIN, { ...right, key }), key);
  for (const signature of ['00'.repeat(65), 'ff'.repeat(65)])
    assert.ok(!hasValidSignature(CHAIN, { ...right, signature }), signature);
});

test('what is signed is no sha256, so that it is the signature of no block and no transaction', () => {
  const out = new ByteWriter();
  out.bytes(Buffer.from('pharos alive'));
  out.hex(CHAIN);
  out.varint(5);
  out.latin1('alice');
  out.hex(said.key);
  out.u32(said.slot);
  out.hex(said.head);
  const digest = Buffer.from(aliveDigest(CHAIN, said));
  assert.deepEqual(digest, Buffer.from(sha512(out.finish()).subarray(0, 32)));
  assert.notDeepEqual(digest, Buffer.from(sha256(out.finish())));
});
