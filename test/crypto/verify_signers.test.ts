import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { present } from '../../src/base/assert.ts';
import { QUARANTINED, TRUSTED, UNKNOWN } from '../../src/crypto/sender_reputation.ts';
import { ORDER, publicKeyBytes, bytesToNumber, signWithNonce, packSignature } from '../builders/chosen_signatures.ts';
import { inLongForm, isLong } from '../builders/forms.ts';
import {
  SIZES,
  assertAsRecovered,
  textDigest,
  honest,
  honestBatch,
  keyOfSigner,
  signerSecret,
  verify,
  type Item,
} from './signer_batches.ts';

test('honest batches of every size are verified in full', () => {
  for (const count of [0, 1, 2, 7, 8, 9, 17, 31, 64, 100, 257, 1024, 1030])
    assert.equal(assertAsRecovered(honestBatch(count)), count);
});

test('an honest batch recovers nothing, and one error in 1024 only its neighbourhood', () => {
  const items = honestBatch(1024);
  assert.equal(verify(items, undefined, 0).recovered, 0);
  items[700] = { ...honest(700), digest: textDigest('other') };
  assert.ok(verify(items, undefined, 0).recovered <= 16);
});

test('a batch in which every key is another is verified', () => {
  const items = Array.from({ length: 40 }, (_, i) => honest(i, i));
  assert.equal(assertAsRecovered(items), 40);
});

/** The faults of an item. */
const mutations: Readonly<Record<string, (item: Item, random: number) => Item>> = {
  otherDigest: (item, random) => ({ ...item, digest: textDigest(`other ${random}`) }),
  otherKey: (item, random) => ({ ...item, key: keyOfSigner(10 + (random % 30)) }),
  oppositeKey: (item) => ({ ...item, key: item.key?.with(0, 5 - (item.key[0] ?? 2)) }),
  noKey: (item) => ({ ...item, key: undefined }),
  noPoint: (item) => ({ ...item, key: new Uint8Array(33).fill(2, 0, 1).fill(255, 1) }),
  otherParity: ({ signature, ...item }) => ({
    ...item,
    signature: packSignature(
      (present(signature[0], 'header') - 31) ^ 1,
      bytesToNumber(signature.subarray(1, 33)),
      bytesToNumber(signature.subarray(33)),
    ),
  }),
  recoveryId2: ({ signature, ...item }) => ({
    ...item,
    signature: packSignature(2, bytesToNumber(signature.subarray(1, 33)), bytesToNumber(signature.subarray(33))),
  }),
  flippedBit: ({ signature, ...item }, random) => ({
    ...item,
    signature: signature.map((byte, i) => (i === 1 + (random % 64) ? byte ^ 16 : byte)),
  }),
  header: ({ signature, ...item }, random) => ({
    ...item,
    signature: signature.map((byte, i) => (i === 0 ? random % 256 : byte)),
  }),
  r: ({ signature, ...item }, random) => ({
    ...item,
    signature: packSignature(0, edge(random), bytesToNumber(signature.subarray(33))),
  }),
  s: ({ signature, ...item }, random) => ({
    ...item,
    signature: packSignature(0, bytesToNumber(signature.subarray(1, 33)), edge(random)),
  }),
};
const edges = [0n, 1n, 2n, ORDER - 1n, ORDER, ORDER + 1n, ORDER + 2n, 2n ** 256n - 1n];
const edge = (random: number): bigint => edges[random % edges.length] ?? 0n;

test('random batches with any mixture of errors are judged as recovery judges them', () => {
  const error = fc.record({
    place: fc.nat(199),
    kind: fc.constantFrom(...Object.keys(mutations)),
    random: fc.nat(10_000),
  });
  fc.assert(
    fc.property(fc.integer({ min: 12, max: 200 }), fc.array(error, { maxLength: 12 }), (count, errors) => {
      const items = honestBatch(count);
      for (const { place, kind, random } of errors) {
        const item = items[place];
        if (item !== undefined) items[place] = present(mutations[kind], kind)(item, random);
      }
      assertAsRecovered(items);
    }),
    { numRuns: isLong ? 40 : 12 },
  );
});

test('each kind of error alone in a batch is found, and affects nothing else', () => {
  for (const [kind, mutate] of Object.entries(mutations)) {
    for (const random of [0, 3, 4, 5, 6]) {
      const items = honestBatch(40);
      items[23] = mutate(honest(23), random);
      const count = assertAsRecovered(items);
      // A changed header byte may be another spelling of the same recovery id.
      assert.ok(count === 39 || (kind === 'header' && count === 40), kind);
    }
  }
});

test('any flipped bit of any signature, digest or key of a batch makes that item fail, and no other', () => {
  const place = fc.nat(1023);
  const part = fc.constantFrom('signature', 'digest', 'key');
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 60 }),
      fc.integer({ min: 1, max: 60 }),
      part,
      place,
      fc.nat(65 * 8 - 1),
      (count, signers, name, at, bit) => {
        const items = Array.from({ length: count }, (_, i) => honest(i, i % Math.min(signers, 40)));
        const chosen = present(items[at % count], 'an item');
        const bytes = Uint8Array.from(present(chosen[name], 'bytes'));
        const byte = Math.trunc(bit / 8) % bytes.length;
        bytes[byte] = (bytes[byte] ?? 0) ^ (1 << (bit % 8));
        items[at % count] = { ...chosen, [name]: bytes };
        // The first byte of a signature may be another spelling of the same recovery id: 4 less, or 4 more.
        const isSpelling = name === 'signature' && byte === 0 && bytes[0] === (chosen.signature[0] ?? 0) - 4;
        assert.equal(assertAsRecovered(items), isSpelling ? count : count - 1);
      },
    ),
    { numRuns: isLong ? 150 : 50 },
  );
});

test('keys that were never seen are lifted alike in any number, beside those that were', () => {
  // Eight are lifted together, fewer than six one by one; the second half of each batch has been seen before.
  for (let count = 8; count <= 26; count++) {
    const items = Array.from({ length: count }, (_, i): Item => {
      const secret = 1_000_000n + BigInt(i < count / 2 ? count * 100 + i : 800 + (i % 4));
      const digest = textDigest(`new ${count} ${i}`);
      return { digest, signature: signWithNonce(digest, secret, secret * 3n), key: publicKeyBytes(secret) };
    });
    assert.equal(assertAsRecovered(items), count);
    assert.equal(verify(items, undefined, 0).recovered, 0);
  }
});

test('two errors that cancel under equal multipliers are both found', () => {
  for (let round = 0; round < 10; round++) {
    const items = honestBatch(64);
    for (const [place, error] of [
      [5, 77n],
      [50, -77n],
    ] as const) {
      const digest = textDigest(`cancel ${place}`);
      items[place] = {
        digest,
        signature: signWithNonce(digest, signerSecret(3), 1000n + BigInt(place), error),
        key: keyOfSigner(3),
      };
    }
    assert.equal(assertAsRecovered(items), 62);
  }
});

test('the crafted signatures without an error are valid, so that the test above tests the error', () => {
  const items = honestBatch(64);
  for (const place of [5, 50]) {
    const digest = textDigest(`cancel ${place}`);
    items[place] = {
      digest,
      signature: signWithNonce(digest, signerSecret(3), 1000n + BigInt(place)),
      key: keyOfSigner(3),
    };
  }
  assert.equal(assertAsRecovered(items), 64);
});

test('swapped signatures are both refused', () => {
  const items = honestBatch(64);
  const [a, b] = [honest(7, 2), honest(8, 2)];
  items[7] = { ...a, signature: b.signature };
  items[8] = { ...b, signature: a.signature };
  assert.equal(assertAsRecovered(items), 62);
});

test('a batch of nothing but errors is refused item by item', () => {
  assert.equal(
    assertAsRecovered(
      Array.from({ length: 100 }, (_, i): Item => ({ ...honest(i), digest: textDigest(`wrong ${i}`) })),
    ),
    0,
  );
});

test('the same item many times over is verified each time, and a wrong one many times over never', () => {
  const wrong = { ...honest(3), digest: textDigest('another') };
  for (const count of [8, 33, 200]) {
    assert.equal(assertAsRecovered(Array.from({ length: count }, () => honest(3))), count);
    assert.equal(
      assertAsRecovered(Array.from({ length: count }, (_, i) => (i % 2 === 0 ? honest(3) : wrong))),
      Math.ceil(count / 2),
    );
  }
});

/** Signed by a key that nobody else signs with. */
function signedOnce(i: number): Item {
  const secret = 2_000_000n + BigInt(i);
  const digest = textDigest(`once ${i}`);
  return { digest, signature: signWithNonce(digest, secret, secret * 5n), key: publicKeyBytes(secret) };
}

test('items of all groups are judged the same, and a wrong one affects only its own group', () => {
  const items = Array.from({ length: 120 }, (_, i) => signedOnce(i));
  items[4] = { ...signedOnce(4), digest: textDigest('other') };
  const { verified, recovered } = verify(
    items,
    Uint8Array.from(items, (_, i) => (i < 60 ? UNKNOWN : i < 110 ? TRUSTED : QUARANTINED)),
  );
  assert.deepEqual(
    [...verified],
    items.map((_, i) => (i === 4 ? 0 : 1)),
  );
  assert.ok(recovered >= 11 && recovered <= 26);
});

test('a wrong signature of a key that signs often makes no other item dearer, whatever its size and group', () => {
  for (let round = 0; round < 20; round++) verify(honestBatch(40));
  for (const count of [1, 2, 3, 5, 40, 130, 400]) {
    const items = honestBatch(count);
    items[count >> 1] = { ...honest(count >> 1), digest: textDigest('other') };
    const groups = Uint8Array.from(items, (_, i) => [TRUSTED, UNKNOWN, QUARANTINED][i % 3] ?? TRUSTED);
    for (const fewestTogether of SIZES) {
      const { verified, recovered } = verify(items, groups, fewestTogether);
      assert.deepEqual([recovered, verified.indexOf(0), verified.lastIndexOf(0)], [1, count >> 1, count >> 1]);
    }
  }
});

test(
  'more keys that sign often than have their multiples remembered are all verified, also when they take turns',
  inLongForm,
  () => {
    const signers = Array.from({ length: 2100 }, (_, i) => signedOnce(10_000 + i));
    const swapped = { ...present(signers[0], 'one'), key: signers[1]?.key };
    for (let from = 0; from < signers.length; from += 100) {
      const some = signers.slice(from, from + 100);
      // Nine times each, which is often enough; one of them is somebody else's.
      const { verified } = verify([...Array.from({ length: 9 }, () => some).flat(), swapped]);
      assert.deepEqual([verified.indexOf(0), verified.lastIndexOf(0)], [900, 900]);
    }
    for (let from = 0; from < signers.length; from += 20)
      assert.ok(verify(signers.slice(from, from + 20)).verified.every((verdict) => verdict === 1));
  },
);
