import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decryptCbc, encryptCbc } from '../../src/crypto/aes_cbc.ts';
import { isFcCanonical, isLowS } from '../../src/crypto/canonical.ts';
import * as hashes from '../../src/crypto/hashes.ts';
import { isPoint, publicKeyOf } from '../../src/crypto/keys.ts';
import * as portableCbc from '../../src/crypto/portable/aes_cbc.ts';
import * as portableHashes from '../../src/crypto/portable/hashes.ts';
import * as portableKeys from '../../src/crypto/portable/keys.ts';
import { randomBytes } from '../../src/crypto/portable/random.ts';
import * as portableSecret from '../../src/crypto/portable/shared_secret.ts';
import * as portableSign from '../../src/crypto/portable/sign.ts';
import { sharedSecret } from '../../src/crypto/shared_secret.ts';
import { sign } from '../../src/crypto/sign.ts';

// What pharos-client takes in place of Node's crypto and of our WASM module says the same, byte for byte.

const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });
const order = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');
/** Most are keys; 0, the order and what is above it are none. */
const secret = fc.oneof(
  { weight: 20, arbitrary: bytes(32) },
  { weight: 1, arbitrary: fc.constantFrom(new Uint8Array(32), order, new Uint8Array(32).fill(255)) },
);
const plain = (value: Uint8Array | undefined): number[] | undefined => value && [...value];

test('hashes are the same', () => {
  const [ours, theirs] = [new Map(Object.entries(portableHashes)), new Map(Object.entries(hashes))];
  assert.deepEqual([...ours.keys()].toSorted(), [...theirs.keys()].toSorted());
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (data) => {
      for (const [name, hash] of theirs) assert.deepEqual(Buffer.from(ours.get(name)?.(data) ?? ''), Buffer.from(hash(data)), name);
    }),
  );
});

test('signatures are the same by every rule, and so is who has none', () => {
  fc.assert(
    fc.property(bytes(32), secret, fc.constantFrom(isLowS, isFcCanonical), (digest, key, rule) => {
      assert.deepEqual(plain(portableSign.sign(digest, key, rule)), plain(sign(digest, key, rule)));
    }),
  );
});

test('public keys and shared secrets are the same', () => {
  fc.assert(
    fc.property(secret, secret, fc.oneof(bytes(33), bytes(32)), (mine, theirs, noise) => {
      const key = publicKeyOf(theirs) ?? new Uint8Array(33);
      assert.deepEqual(plain(portableKeys.publicKeyOf(mine)), plain(publicKeyOf(mine)));
      assert.deepEqual([key, noise].map(portableKeys.isPoint), [key, noise].map(isPoint));
      assert.deepEqual(plain(portableSecret.sharedSecret(mine, key)), plain(sharedSecret(mine, key)));
    }),
  );
});

test('AES-256-CBC is the same, and so is what has no right padding', () => {
  fc.assert(
    fc.property(bytes(32), bytes(16), fc.uint8Array({ maxLength: 100 }), (key, vector, data) => {
      const encrypted = encryptCbc(key, vector, data);
      assert.deepEqual(plain(portableCbc.encryptCbc(key, vector, data)), plain(encrypted));
      for (const each of [encrypted, data, encrypted.subarray(1)])
        assert.deepEqual(plain(portableCbc.decryptCbc(key, vector, each)), plain(decryptCbc(key, vector, each)));
    }),
  );
});

test('random bytes are as many as asked for, and others each time', () => {
  assert.equal(randomBytes(40).length, 40);
  assert.notDeepEqual(randomBytes(32), randomBytes(32));
});
