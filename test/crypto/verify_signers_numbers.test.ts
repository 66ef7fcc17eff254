import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { present } from '../../src/base/assert.ts';
import { isLooselyCanonical, isLowS } from '../../src/crypto/canonical.ts';
import { recoverKey } from '../../src/crypto/recover.ts';
import {
  ORDER,
  bytes32,
  publicKeyBytes,
  bytesToNumber,
  signWithNonce,
  packSignature,
  signatureOfNobody,
  withOtherS,
} from '../builders/chosen_signatures.ts';
import {
  assertAsRecovered,
  textDigest,
  honest,
  honestBatch,
  keyOfSigner,
  signerSecret,
  verify,
  type Item,
} from './signer_batches.ts';

// Batches with chosen numbers: points that meet, s and digests at their bounds, keys that are no point.

test('s of 1, n - 1 and their neighbours, and keys that are R of another item, are verified', () => {
  const nonce = 424_242n;
  const r = bytesToNumber(publicKeyBytes(nonce).subarray(1));
  const items = honestBatch(30);
  [1n, 2n, ORDER - 1n, ORDER - 2n, ORDER / 2n, ORDER / 2n + 1n, 2n ** 128n, 2n ** 255n].forEach((number, i) => {
    const digest = textDigest(`s ${i}`);
    const signature = packSignature(i % 2, r, number);
    items[i * 3] = { digest, signature, key: present(recoverKey(digest, signature), 'the key') };
  });
  const digest = textDigest('same R');
  items[29] = { digest, signature: signWithNonce(digest, nonce, nonce), key: publicKeyBytes(nonce) };
  assert.equal(assertAsRecovered(items), 30);
  assert.equal(verify(items, undefined, 0).recovered, 0);
});

test('nonces that make sums meet, double and vanish are verified all the same', () => {
  const small = Array.from({ length: 200 }, (_, i): Item => {
    const digest = textDigest(`small ${i}`);
    return { digest, signature: signWithNonce(digest, signerSecret(1), BigInt(i + 1)), key: keyOfSigner(1) };
  });
  assert.equal(assertAsRecovered(small), 200);
  const same = Array.from({ length: 200 }, () => honest(1));
  assert.equal(assertAsRecovered(same), 200);
  const opposite = Array.from({ length: 200 }, (_, i): Item => {
    const digest = textDigest(`opposite ${i}`);
    return {
      digest,
      signature: signWithNonce(digest, signerSecret(i % 2), i % 3 === 0 ? 5n : ORDER - 5n),
      key: keyOfSigner(i % 2),
    };
  });
  assert.equal(assertAsRecovered(opposite), 200);
  for (const items of [small, same, opposite]) assert.equal(verify(items, undefined, 0).recovered, 0);
});

test('a key that is G, its opposite, or equal to R is verified', () => {
  const items = honestBatch(20);
  for (const [place, secret, nonce] of [
    [1, 1n, 9n],
    [2, ORDER - 1n, 9n],
    [3, 9n, 9n],
    [4, 1n, 1n],
    [5, 1n, ORDER - 1n],
  ] as const) {
    const digest = textDigest(`special ${place}`);
    items[place] = { digest, signature: signWithNonce(digest, secret, nonce), key: publicKeyBytes(secret) };
  }
  assert.equal(assertAsRecovered(items), 20);
});

test('batches of equal, opposite and doubled points are verified: no sum of two can be divided by zero', () => {
  // Nonces of which all R, and many sums of them, meet the same points again; keys whose multiples do, too.
  const nonces: readonly (readonly bigint[])[] = [
    [9n],
    [9n, ORDER - 9n],
    [1n, 2n, 4n, 8n],
    [1n, ORDER - 1n, 2n, ORDER - 2n, 3n],
  ];
  const secrets: readonly (readonly bigint[])[] = [[1n], [9n, ORDER - 9n], [1n, 2n, 4n, ORDER - 2n], [5n, 6n, 7n]];
  for (const some of nonces) {
    for (const keysOf of secrets) {
      for (const count of [8, 9, 64, 300]) {
        const items = Array.from({ length: count }, (_, i): Item => {
          const [nonce, secret] = [
            present(some[i % some.length], 'a nonce'),
            present(keysOf[i % keysOf.length], 'a secret'),
          ];
          const digest = textDigest(`same ${i}`);
          return { digest, signature: signWithNonce(digest, secret, nonce), key: publicKeyBytes(secret) };
        });
        assert.equal(assertAsRecovered(items), count);
        assert.equal(verify(items, undefined, 0).recovered, 0);
        items[count >> 1] = { ...present(items[count >> 1], 'an item'), digest: textDigest('another') };
        assert.equal(assertAsRecovered(items), count - 1);
      }
    }
  }
});

test('an r that is the x of no point, in any place and any number, affects nothing else', () => {
  for (const places of [[0], [1], [38, 39], [0, 1, 2, 3], [5, 20, 21]]) {
    const items = honestBatch(40);
    for (const place of places) items[place] = { ...honest(place), signature: packSignature(place % 2, 5n, 99n) };
    assert.equal(recoverKey(honest(0).digest, packSignature(0, 5n, 99n)), undefined);
    assert.equal(assertAsRecovered(items), 40 - places.length);
  }
});

test('digests of 0, n and above n are taken modulo n', () => {
  const items = honestBatch(20);
  [0n, ORDER, ORDER + 5n, 2n ** 256n - 1n].forEach((number, i) => {
    const digest = bytes32(number);
    items[i * 3] = {
      digest,
      signature: signWithNonce(digest, signerSecret(2), 12345n + BigInt(i)),
      key: keyOfSigner(2),
    };
  });
  assert.equal(assertAsRecovered(items), 20);
});

test('high s is verified like low s: forms are the business of the canonical rules', () => {
  const items = honestBatch(64);
  items.forEach((item, i) => {
    if (i % 2 === 0) item.signature = withOtherS(item.signature);
  });
  assert.ok(items.some(({ signature }) => !isLowS(signature) && isLooselyCanonical(signature)));
  assert.ok(items.some(({ signature }) => !isLooselyCanonical(signature)));
  assert.equal(assertAsRecovered(items), 64);
});

test('s at the bound of each rule set is judged as recovery judges it', () => {
  const bounds = [
    '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0',
    '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1',
    'a0201b68462fe9df1d50a457736e575dffffffffffffffffffffffffffffff7f',
    'a0201b68462fe9df1d50a457736e575dffffffffffffffffffffffffffffff80',
  ];
  const items = honestBatch(40);
  bounds.forEach((bound, i) => {
    const { digest, signature } = honest(i);
    const atBound = packSignature(0, bytesToNumber(signature.subarray(1, 33)), BigInt(`0x${bound}`));
    // Whatever key this signature belongs to is the expected one: it exists, since r is the x of a point.
    items[i * 9] = { digest, signature: atBound, key: present(recoverKey(digest, atBound), 'the key') };
  });
  assert.equal(assertAsRecovered(items), 40);
});

test('recovery ids 2 and 3 are verified by recovery where r + n is the x of a point', () => {
  const items = honestBatch(40);
  let found = 0;
  for (let r = 1n; found < 6; r++) {
    const digest = textDigest(`large ${r}`);
    const signature = packSignature(2 + Number(r % 2n), r, 99n);
    const key = recoverKey(digest, signature);
    if (key === undefined) continue;
    items[found++ * 5] = { digest, signature, key };
  }
  assert.equal(assertAsRecovered(items), 40);
});

test('header bytes 27 to 30 mean the same recovery ids', () => {
  const items = honestBatch(64);
  items.forEach((item, i) => {
    if (i % 2 === 0) item.signature = item.signature.with(0, (item.signature[0] ?? 0) - 4);
  });
  assert.equal(assertAsRecovered(items), 64);
});

const P = secp256k1.Point.Fp.ORDER;
const keyBytes = (prefix: number, x: bigint): Uint8Array => Uint8Array.of(prefix, ...bytes32(x));
const xOfSigner = bytesToNumber(keyOfSigner(0).subarray(1));
/** 33 bytes that are no compressed point. */
const noKeys: Readonly<Record<string, Uint8Array>> = {
  null: new Uint8Array(33),
  'x of no point': keyBytes(2, 5n),
  'x of no point, odd': keyBytes(3, 5n),
  'x 0': keyBytes(2, 0n),
  'x = p': keyBytes(2, P),
  'x of a point, p added': keyBytes(2, P + 1n),
  'x above p': keyBytes(3, 2n ** 256n - 1n),
  ...Object.fromEntries([0, 1, 4, 5, 6, 7, 255].map((prefix) => [`first byte ${prefix}`, keyBytes(prefix, xOfSigner)])),
};

test('a key that is no point verifies nothing and affects nothing else: such items alone are recovered', () => {
  for (const [name, key] of Object.entries(noKeys)) {
    for (const many of [1, 2, 3, 12]) {
      const items = honestBatch(40);
      for (let place = 0; place < many; place++) {
        const digest = textDigest(`nobody ${place}`);
        const signature = place % 2 === 0 ? signatureOfNobody(digest, BigInt(place + 2)) : honest(place).signature;
        items[place * 3] = { digest: place % 2 === 0 ? digest : honest(place).digest, signature, key };
      }
      assert.equal(assertAsRecovered(items), 40 - many, name);
      assert.equal(verify(items, undefined, 0).recovered, many, name);
    }
  }
});

test('a batch that expects nothing but keys that are no points verifies nothing', () => {
  const all = Object.values(noKeys);
  const items = Array.from({ length: 100 }, (_, i): Item => {
    const digest = textDigest(`nobody ${i}`);
    return { digest, signature: signatureOfNobody(digest, BigInt(i + 1)), key: all[i % all.length] };
  });
  assert.equal(assertAsRecovered(items), 0);
  const { signers } = verify(items);
  assert.ok(signers.every((byte) => byte === 0));
});

test('where the digest is 0, signatures of nobody are no exception', () => {
  const items = honestBatch(20);
  items[3] = {
    digest: bytes32(0n),
    signature: packSignature(0, bytesToNumber(publicKeyBytes(7n).subarray(1)), 1n),
    key: new Uint8Array(33),
  };
  assert.equal(assertAsRecovered(items), 19);
});
