import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../src/base/assert.ts';
import { isFcCanonical, isLooselyCanonical, isLowS } from '../../src/crypto/canonical.ts';
import { derivePublicKey } from '../../src/crypto/keys.ts';
import { recoverKey } from '../../src/crypto/recover.ts';
import { sharedSecret } from '../../src/crypto/shared_secret.ts';
import { sign } from '../../src/crypto/sign.ts';
import { verify } from '../../src/crypto/verify.ts';
import { cryptoModule } from '../../src/crypto/wasm.ts';
import { hexBytes, toHex, secretOfWif } from '../builders/recorded_keys.ts';
import { recordedList, recording, recordedText } from '../builders/recordings.ts';
import type { Recorded } from '../builders/recordings.ts';

const sdk = recording('vectors-sdk.json');
const lineage = recording('vectors.json');

const secretNamed = (name: string): Uint8Array => hexBytes(recordedText(sdk, `keys.${name}.secret`));
const vectorSigner = (vector: Recorded): Uint8Array => secretNamed(recordedText(vector, 'signer'));

test('every transaction signature of the recorded node is reproduced byte for byte under both rules', () => {
  const vectors = recordedList(sdk, 'sdk.transactions_agreeing_with_node');
  assert.equal(vectors.length, 26);
  for (const vector of vectors) {
    const digest = hexBytes(recordedText(vector, 'sig_digest'));
    assert.equal(
      toHex(sign(digest, vectorSigner(vector), isFcCanonical)),
      recordedText(vector, 'node_signature_fc_rule'),
    );
    assert.equal(toHex(sign(digest, vectorSigner(vector))), recordedText(vector, 'node_signature_bip_rule'));
    assert.equal(
      toHex(sign(digest, vectorSigner(vector), isLooselyCanonical)),
      recordedText(vector, 'node_signature_bip_rule'),
    );
  }
});

test('the signatures of the operations that the SDK gets wrong are reproduced byte for byte', () => {
  for (const vector of recordedList(sdk, 'sdk.operations_the_sdk_gets_wrong')) {
    const digest = hexBytes(recordedText(vector, 'correct_sig_digest'));
    assert.equal(
      toHex(sign(digest, vectorSigner(vector), isFcCanonical)),
      recordedText(vector, 'correct_signature_fc_rule'),
    );
  }
});

test('the digest signatures of the recorded API are reproduced byte for byte', () => {
  const vectors = recordedList(lineage, 'digest_signatures');
  assert.equal(vectors.length, 40);
  for (const vector of vectors) {
    const secret = secretOfWif(recordedText(vector, 'wif'));
    assert.equal(
      toHex(sign(hexBytes(recordedText(vector, 'digest')), secret, isFcCanonical)),
      recordedText(vector, 'signature'),
    );
  }
});

test('what is signed can be verified, and gives back the key of the signer', () => {
  for (const name of ['alice-active', 'bob-memo', 'witness-key']) {
    const secret = secretNamed(name);
    const key = derivePublicKey(secret);
    assert.ok(key);
    for (let i = 0; i < 20; i++) {
      const digest = new Uint8Array(32).fill(i);
      const signature = sign(digest, secret);
      assert.ok(signature !== undefined && isLowS(signature));
      assert.ok(verify(digest, signature, key));
      assert.deepEqual(recoverKey(digest, signature), key);
    }
  }
});

test('a secret outside 1..n−1 signs nothing and has no public key', () => {
  const order = hexBytes('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
  for (const secret of [new Uint8Array(32), order, new Uint8Array(32).fill(255)]) {
    assert.equal(sign(new Uint8Array(32), secret), undefined);
    assert.equal(derivePublicKey(secret), undefined);
  }
});

test('no copy of the secret is left in the memory of the module', () => {
  const secret = secretNamed('alice-owner');
  sign(new Uint8Array(32), secret, isFcCanonical);
  derivePublicKey(secret);
  sharedSecret(secret, present(derivePublicKey(secretNamed('bob-owner')), 'the key'));
  const memory = Buffer.from(cryptoModule().secret.buffer);
  // Scalars are stored as little-endian words, so both byte orders are looked for.
  assert.equal(memory.indexOf(secret), -1);
  assert.equal(memory.indexOf(Uint8Array.from(secret).reverse()), -1);
});
