import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { present } from '../../src/base/assert.ts';
import { secretOfSeed } from '../../src/crypto/brain_key.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import { recoverKey, recoverKeys } from '../../src/crypto/recover.ts';
import { sign } from '../../src/crypto/sign.ts';
import { hexBytes, toHex } from '../builders/recorded_keys.ts';
import { isLong } from '../builders/forms.ts';

const order = 2n ** 256n - 432420386565659656852420866394968145599n;
const bytes32 = (number: bigint): Uint8Array => hexBytes(number.toString(16).padStart(64, '0'));

/** Recovers the key by noble; undefined when it throws. */
function nobleKey(digest: Uint8Array, signature: Uint8Array): string | undefined {
  const recovered = Uint8Array.from(signature);
  recovered[0] = ((signature[0] ?? 0) - 27) & 3;
  try {
    return toHex(secp256k1.recoverPublicKey(recovered, digest, { prehash: false }));
  } catch {
    return undefined;
  }
}

const headers = fc.integer({ min: 27, max: 34 });
/** Numbers at which something changes, and ordinary ones. */
const number = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt({ min: 1n, max: order - 1n }) },
  fc.constantFrom(0n, 1n, 2n, order - 1n, order, order + 1n, 2n ** 256n - 1n, order / 2n, order / 2n + 1n),
  fc.bigInt({ min: 0n, max: 2n ** 128n }),
);
const candidate = fc
  .tuple(headers, number, number)
  .map(([header, r, s]) => Buffer.concat([Uint8Array.of(header), bytes32(r), bytes32(s)]));
const digests = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  fc.constantFrom(bytes32(0n), bytes32(order), bytes32(2n ** 256n - 1n)),
);

test('every key is the one that noble recovers, with all recovery ids and numbers out of range', () => {
  fc.assert(
    fc.property(digests, candidate, (digest, signature) => {
      assert.equal(toHex(recoverKey(digest, signature)), nobleKey(digest, signature));
    }),
    { numRuns: isLong ? 1500 : 400 },
  );
});

test('lists of every size, with r near 0, n and p and of all recovery ids, give the keys that noble recovers', () => {
  const p = secp256k1.Point.Fp.ORDER;
  const bases = [0n, order - 40n, p - order - 40n, p - order, p - 80n, 2n ** 255n];
  for (let count = 1; count <= 70; count++) {
    const digest = Buffer.concat(Array.from({ length: count }, (_, i) => sha256(Buffer.from(`near ${count} ${i}`))));
    const signature = Buffer.concat(
      Array.from({ length: count }, (_, i) => {
        const r = (bases[(i + count) % bases.length] ?? 0n) + BigInt((i * 7 + count) % 80);
        return Buffer.concat([
          Uint8Array.of(27 + ((i * 5 + count) % 8)),
          bytes32(r),
          bytes32(BigInt(i + 1) ** 50n % order),
        ]);
      }),
    );
    const { keys } = recoverKeys(count, digest, signature);
    // Noble takes a millisecond for each: a few of every list.
    for (let i = count % 9; i < count; i += 9) {
      const expected = nobleKey(digest.subarray(i * 32, i * 32 + 32), signature.subarray(i * 65, i * 65 + 65));
      assert.equal(toHex(keys.subarray(i * 33, i * 33 + 33)), expected ?? '0'.repeat(66), `item ${i} of ${count}`);
    }
  }
});

test('a list gives the same keys as one at a time, beyond the size of the buffers', () => {
  const count = 1100;
  const digest = Buffer.concat(Array.from({ length: count }, (_, i) => sha256(Buffer.from(`digest ${i % 40}`))));
  const signature = Buffer.concat(
    Array.from({ length: count }, (_, i) => {
      const signed = present(
        sign(digest.subarray(i * 32, i * 32 + 32), secretOfSeed(`signer ${i % 7}`)),
        'a signature',
      );
      if (i % 13 === 5) signed.fill(0, 1, 33);
      return signed;
    }),
  );
  const { keys, recovered } = recoverKeys(count, digest, signature);
  for (let i = 0; i < count; i++) {
    const single = recoverKey(digest.subarray(i * 32, i * 32 + 32), signature.subarray(i * 65, i * 65 + 65));
    assert.equal(recovered[i], single === undefined ? 0 : 1);
    assert.equal(toHex(keys.subarray(i * 33, i * 33 + 33)), toHex(single ?? new Uint8Array(33)));
  }
});

test('a header byte outside 27..34 recovers nothing', () => {
  const digest = sha256(Buffer.from('digest'));
  const signature = present(sign(digest, secretOfSeed('alice')), 'a signature');
  for (const header of [0, 26, 35, 255]) {
    signature[0] = header;
    assert.equal(recoverKey(digest, signature), undefined);
  }
});

test('the point at infinity is not recovered as a key', () => {
  // With R = G, r = x(G) and s = digest, Q = r⁻¹(s·G − m·G) is infinity.
  const x = secp256k1.Point.BASE.toAffine().x;
  const signature = Buffer.concat([Uint8Array.of(31), bytes32(x), bytes32(5n)]);
  assert.equal(recoverKey(bytes32(5n), signature), undefined);
  assert.notEqual(recoverKey(bytes32(6n), signature), undefined);
});

test('an empty list recovers nothing', () => {
  assert.equal(recoverKeys(0, new Uint8Array(0), new Uint8Array(0)).keys.length, 0);
});
