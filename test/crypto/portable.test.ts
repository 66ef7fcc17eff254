import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isFcCanonical, isLowS } from '../../src/crypto/canonical.ts';
import * as hashes from '../../src/crypto/hashes.ts';
import { isPoint, derivePublicKey } from '../../src/crypto/keys.ts';
import * as portableCbc from '../../src/crypto/portable/aes_cbc.ts';
import * as portableHashes from '../../src/crypto/portable/hashes.ts';
import * as portableKeys from '../../src/crypto/portable/keys.ts';
import { randomBytes } from '../../src/crypto/portable/random.ts';
import * as portableSecret from '../../src/crypto/portable/shared_secret.ts';
import * as portableSign from '../../src/crypto/portable/sign.ts';
import * as portableVerify from '../../src/crypto/portable/verify.ts';
import { sharedSecret } from '../../src/crypto/shared_secret.ts';
import { sign } from '../../src/crypto/sign.ts';
import { verify } from '../../src/crypto/verify.ts';
import { decryptCbc, encryptCbc } from '../../src/crypto/aes_cbc.ts';

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
      for (const [name, hash] of theirs)
        assert.deepEqual(Buffer.from(ours.get(name)?.(data) ?? ''), Buffer.from(hash(data)), name);
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

test('signatures are verified alike: right and high ones, of other digests, keys that are none, r and s out of range', () => {
  /** Changes of bytes: mostly none, else they become 0, the order, all ones, or have a bit changed. */
  const change = fc.oneof(
    { weight: 4, arbitrary: fc.constant((value: Uint8Array) => value) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(new Uint8Array(32), new Uint8Array(order), new Uint8Array(32).fill(255))
        .map((part) => (value: Uint8Array) => {
          const changed = new Uint8Array(value);
          changed.set(part, value.length - 32);
          return changed;
        }),
    },
    {
      weight: 2,
      arbitrary: fc
        .nat(255)
        .map(
          (bit) => (value: Uint8Array) => value.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)),
        ),
    },
  );
  const high = (signature: Uint8Array): Uint8Array => {
    const s = BigInt(`0x${Buffer.from(signature.subarray(33)).toString('hex')}`);
    const other = BigInt(`0x${order.toString('hex')}`) - s;
    return Buffer.concat([signature.subarray(0, 33), Buffer.from(other.toString(16).padStart(64, '0'), 'hex')]);
  };
  fc.assert(
    fc.property(
      bytes(32),
      bytes(32),
      change,
      change,
      change,
      fc.boolean(),
      (digest, key, ofDigest, ofSignature, ofKey, isHigh) => {
        const [signed, owner] = [sign(digest, key), derivePublicKey(key)];
        if (signed === undefined || owner === undefined) return;
        const given = [ofDigest(digest), ofSignature(isHigh ? high(signed) : signed), ofKey(owner)] as const;
        const expected = verify(...given);
        assert.equal(portableVerify.verify(...given), expected);
      },
    ),
    { numRuns: 150 },
  );
  // Of the random ones few are right, and by chance none.
  for (let index = 0; index < 20; index++) {
    const [digest, key] = [hashes.sha256(Buffer.from(`digest ${index}`)), hashes.sha256(Buffer.from(`key ${index}`))];
    const [signed, owner] = [sign(digest, key), derivePublicKey(key)];
    assert.ok(signed !== undefined && owner !== undefined);
    for (const signature of [signed, high(signed)])
      for (const verifies of [verify, portableVerify.verify])
        assert.ok(verifies(digest, signature, owner), `signature ${index}`);
  }
});

test('public keys and shared secrets are the same', () => {
  fc.assert(
    fc.property(secret, secret, fc.oneof(bytes(33), bytes(32)), (mine, theirs, noise) => {
      const key = derivePublicKey(theirs) ?? new Uint8Array(33);
      assert.deepEqual(plain(portableKeys.derivePublicKey(mine)), plain(derivePublicKey(mine)));
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
