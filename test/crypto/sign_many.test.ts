import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import {
  isFcCanonical,
  isLooselyCanonical,
  isLowS,
  isOfOneForm,
  type CanonicalRule,
} from '../../src/crypto/canonical.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import { sign } from '../../src/crypto/sign.ts';
import { signMany } from '../../src/crypto/sign_many.ts';
import { cryptoModule } from '../../src/crypto/wasm.ts';
import { hexBytes, toHex } from '../builders/recorded_keys.ts';

const order = 2n ** 256n - 432420386565659656852420866394968145599n;
const bytes32 = (number: bigint): Uint8Array => hexBytes(number.toString(16).padStart(64, '0'));
const numbered = (kind: string, count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => sha256(Buffer.from(`${kind} ${index}`)));

/** Each of them signed alone. */
function oneByOne(
  digests: readonly Uint8Array[],
  secrets: readonly Uint8Array[],
  rule?: CanonicalRule,
): (string | undefined)[] {
  return digests.map((digest, index) => toHex(sign(digest, secrets[index] ?? new Uint8Array(32), rule)));
}

function together(
  digests: readonly Uint8Array[],
  secrets: readonly Uint8Array[],
  rule?: CanonicalRule,
): (string | undefined)[] {
  const signatures = signMany({ digests: Buffer.concat(digests), secrets: Buffer.concat(secrets) }, rule);
  return digests.map((_, index) => toHex(signatures?.subarray(index * 65, index * 65 + 65)));
}

/** Nine words of 29 bits, the form in which the module computes. */
function toLimbs(number: Uint8Array): Uint8Array {
  const value = BigInt(`0x${toHex(number)}`);
  const limbs = Uint32Array.from({ length: 9 }, (_, index) => Number((value >> BigInt(29 * index)) & 0x1fffffffn));
  return new Uint8Array(limbs.buffer);
}

const anySecret = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt({ min: 1n, max: order - 1n }) },
  fc.constantFrom(1n, 2n, order / 2n, order - 1n),
);
const anyDigest = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }) },
  fc.constantFrom(0n, order, order + 1n, 2n ** 256n - 1n),
);
const items = fc.array(fc.tuple(anyDigest.map(bytes32), anySecret.map(bytes32)), { minLength: 1, maxLength: 12 });
const rules = fc.constantFrom(isLowS, isFcCanonical, isLooselyCanonical, isOfOneForm);

test('many signatures are byte for byte those made one by one, under every rule', () => {
  fc.assert(
    fc.property(items, rules, (signed, rule) => {
      const [digests, secrets] = [signed.map(([digest]) => digest), signed.map(([, secret]) => secret)];
      assert.deepEqual(together(digests, secrets, rule), oneByOne(digests, secrets, rule));
    }),
    { numRuns: 60 },
  );
});

test('so they are in batches of all sizes, with as many keys as signatures', () => {
  const [digests, secrets] = [numbered('digest', 1030), numbered('secret', 1030)];
  const expected = oneByOne(digests, secrets);
  for (const count of [1, 3, 4, 5, 127, 128, 129, 1024, 1025, 1030])
    assert.deepEqual(together(digests.slice(0, count), secrets.slice(0, count)), expected.slice(0, count));
});

test('noble recovers the key of each of them', () => {
  const [digests, secrets] = [numbered('noble', 40), numbered('key', 40)];
  for (const [index, signature] of together(digests, secrets).entries()) {
    const bytes = hexBytes(signature ?? '');
    bytes[0] = (bytes[0] ?? 0) - 31;
    const [digest, secret] = [digests[index] ?? bytes, secrets[index] ?? bytes];
    assert.equal(
      toHex(secp256k1.recoverPublicKey(bytes, digest, { prehash: false })),
      toHex(secp256k1.getPublicKey(secret)),
    );
  }
});

test('a secret outside 1..n−1 among many means no signatures', () => {
  const digests = numbered('digest', 10);
  for (const wrong of [0n, order, 2n ** 256n - 1n]) {
    const secrets = numbered('secret', 10).with(7, bytes32(wrong));
    assert.equal(signMany({ digests: Buffer.concat(digests), secrets: Buffer.concat(secrets) }), undefined);
  }
  assert.deepEqual(signMany({ digests: new Uint8Array(0), secrets: new Uint8Array(0) }), new Uint8Array(0));
});

test('no copy of a secret, nor of what signed with it, is left in the memory of the module', () => {
  const [digests, secrets] = [numbered('digest', 300), numbered('secret', 300)];
  together(digests, secrets, isFcCanonical);
  const memory = Buffer.from(cryptoModule().secret.buffer);
  for (const secret of [secrets[0], secrets[150], secrets[299]]) {
    assert.ok(secret);
    assert.equal(memory.indexOf(secret), -1);
    assert.equal(memory.indexOf(Uint8Array.from(secret).reverse()), -1);
    assert.equal(memory.indexOf(toLimbs(secret)), -1);
  }
});
