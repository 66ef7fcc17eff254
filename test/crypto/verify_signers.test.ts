import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { present } from '../../src/base/assert.ts';
import { isLooselyCanonical, isLowS } from '../../src/crypto/canonical.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import { NO_KEY, verifySigners } from '../../src/crypto/verify_signers.ts';
import { recoverKey } from '../../src/crypto/recover.ts';
import { QUARANTINED, TRUSTED, UNKNOWN } from '../../src/crypto/sender_reputation.ts';
import { sign } from '../../src/crypto/sign.ts';
import {
  ORDER,
  bytes32,
  keyOf,
  numberOf,
  signWithNonce,
  signatureOf,
  signatureOfNobody,
  withOtherS,
} from '../builders/chosen_signatures.ts';
import { hexOf } from '../builders/recorded_keys.ts';

interface Item {
  digest: Uint8Array;
  signature: Uint8Array;
  /** Undefined: no key is expected. */
  key: Uint8Array | undefined;
}

const secretOf = (signer: number): bigint => numberOf(sha256(Buffer.from(`signer ${signer}`)));
const keys = Array.from({ length: 40 }, (_, signer) => keyOf(secretOf(signer)));
const keyOfSigner = (signer: number): Uint8Array => present(keys[signer], 'the key');
const digestOf = (text: string | number): Uint8Array => sha256(Buffer.from(`digest ${text}`));

/** Signed and recovered once: batches differ in what they hold, and what they have in common is most of them. */
const signed = new Map<string, Item>();
const recoveries = new Map<string, Uint8Array | undefined>();

function honest(i: number, signer = i % 7): Item {
  const digest = digestOf(i);
  const name = `${i} ${signer}`;
  const signature = signed.get(name)?.signature ?? present(sign(digest, bytes32(secretOf(signer))), 'a signature');
  const item = { digest, signature, key: keyOfSigner(signer) };
  signed.set(name, item);
  return item;
}

function recoveredKey({ digest, signature }: Item): Uint8Array | undefined {
  const name = `${hexOf(digest)} ${hexOf(signature)}`;
  if (!recoveries.has(name)) recoveries.set(name, recoverKey(digest, signature));
  return recoveries.get(name);
}

/** Batches of at least this size are verified as a whole: all, or none. */
const SIZES = [0, Infinity];

function verify(items: readonly Item[], groups?: Uint8Array, fewestTogether?: number): ReturnType<typeof verifySigners> {
  const different = [...new Set(items.flatMap(({ key }) => (key === undefined ? [] : [hexOf(key)])))];
  const batch = {
    count: items.length,
    digests: Buffer.concat(items.map(({ digest }) => digest)),
    signatures: Buffer.concat(items.map(({ signature }) => signature)),
    expected: Uint16Array.from(items, ({ key }) => (key === undefined ? NO_KEY : different.indexOf(hexOf(key)))),
    keys: Buffer.from(different.join(''), 'hex'),
    ...(groups === undefined ? {} : { groups }),
  };
  return verifySigners(batch, fewestTogether);
}

/** Verification must say exactly what recovery, one by one, says, in whatever way it is done; answers how many are verified. */
function assertAsRecovered(items: readonly Item[]): number {
  const recovered = items.map((item) => hexOf(recoveredKey(item)));
  const isExpected = items.map(({ key }, i) => recovered[i] !== undefined && recovered[i] === hexOf(key));
  for (const fewestTogether of SIZES) {
    const { verified, signers } = verify(items, undefined, fewestTogether);
    items.forEach((_, i) => {
      const item = `item ${i}, together from ${fewestTogether}`;
      assert.equal(verified[i], isExpected[i] === true ? 1 : 0, item);
      assert.equal(hexOf(signers.subarray(i * 33, i * 33 + 33)), recovered[i] ?? '0'.repeat(66), item);
    });
  }
  return isExpected.filter((is) => is).length;
}

const honestBatch = (count: number): Item[] => Array.from({ length: count }, (_, i) => honest(i));

test('honest batches of every size are verified in full', () => {
  for (const count of [0, 1, 2, 7, 8, 9, 17, 31, 64, 100, 257, 1024, 1030]) assert.equal(assertAsRecovered(honestBatch(count)), count);
});

test('an honest batch recovers nothing, and one error in 1024 only its neighbourhood', () => {
  const items = honestBatch(1024);
  assert.equal(verify(items, undefined, 0).recovered, 0);
  items[700] = { ...honest(700), digest: digestOf('other') };
  assert.ok(verify(items, undefined, 0).recovered <= 16);
});

test('a batch in which every key is another is verified', () => {
  const items = Array.from({ length: 40 }, (_, i) => honest(i, i));
  assert.equal(assertAsRecovered(items), 40);
});

/** What can be wrong with an item. */
const mutations: Readonly<Record<string, (item: Item, random: number) => Item>> = {
  otherDigest: (item, random) => ({ ...item, digest: digestOf(`other ${random}`) }),
  otherKey: (item, random) => ({ ...item, key: keyOfSigner(10 + (random % 30)) }),
  oppositeKey: (item) => ({ ...item, key: item.key?.with(0, 5 - (item.key[0] ?? 2)) }),
  noKey: (item) => ({ ...item, key: undefined }),
  noPoint: (item) => ({ ...item, key: new Uint8Array(33).fill(2, 0, 1).fill(255, 1) }),
  otherParity: ({ signature, ...item }) => ({
    ...item,
    signature: signatureOf(
      (present(signature[0], 'header') - 31) ^ 1,
      numberOf(signature.subarray(1, 33)),
      numberOf(signature.subarray(33)),
    ),
  }),
  recoveryId2: ({ signature, ...item }) => ({
    ...item,
    signature: signatureOf(2, numberOf(signature.subarray(1, 33)), numberOf(signature.subarray(33))),
  }),
  flippedBit: ({ signature, ...item }, random) => ({
    ...item,
    signature: signature.map((byte, i) => (i === 1 + (random % 64) ? byte ^ 16 : byte)),
  }),
  header: ({ signature, ...item }, random) => ({ ...item, signature: signature.map((byte, i) => (i === 0 ? random % 256 : byte)) }),
  r: ({ signature, ...item }, random) => ({ ...item, signature: signatureOf(0, edge(random), numberOf(signature.subarray(33))) }),
  s: ({ signature, ...item }, random) => ({ ...item, signature: signatureOf(0, numberOf(signature.subarray(1, 33)), edge(random)) }),
};
const edges = [0n, 1n, 2n, ORDER - 1n, ORDER, ORDER + 1n, ORDER + 2n, 2n ** 256n - 1n];
const edge = (random: number): bigint => edges[random % edges.length] ?? 0n;

test('random batches with any mixture of errors are judged as recovery judges them', () => {
  const error = fc.record({ place: fc.nat(199), kind: fc.constantFrom(...Object.keys(mutations)), random: fc.nat(10_000) });
  fc.assert(
    fc.property(fc.integer({ min: 12, max: 200 }), fc.array(error, { maxLength: 12 }), (count, errors) => {
      const items = honestBatch(count);
      for (const { place, kind, random } of errors) {
        const item = items[place];
        if (item !== undefined) items[place] = present(mutations[kind], kind)(item, random);
      }
      assertAsRecovered(items);
    }),
    { numRuns: 40 },
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
    { numRuns: 150 },
  );
});

test('keys that were never seen are lifted alike in any number, beside those that were', () => {
  // Eight are lifted together, fewer than six one by one; the second half of each batch has been seen before.
  for (let count = 8; count <= 26; count++) {
    const items = Array.from({ length: count }, (_, i): Item => {
      const secret = 1_000_000n + BigInt(i < count / 2 ? count * 100 + i : 800 + (i % 4));
      const digest = digestOf(`new ${count} ${i}`);
      return { digest, signature: signWithNonce(digest, secret, secret * 3n), key: keyOf(secret) };
    });
    assert.equal(assertAsRecovered(items), count);
    assert.equal(verify(items, undefined, 0).recovered, 0);
  }
});

test('s of 1, n - 1 and their neighbours, and keys that are R of another item, are verified', () => {
  const nonce = 424_242n;
  const r = numberOf(keyOf(nonce).subarray(1));
  const items = honestBatch(30);
  [1n, 2n, ORDER - 1n, ORDER - 2n, ORDER / 2n, ORDER / 2n + 1n, 2n ** 128n, 2n ** 255n].forEach((number, i) => {
    const digest = digestOf(`s ${i}`);
    const signature = signatureOf(i % 2, r, number);
    items[i * 3] = { digest, signature, key: present(recoverKey(digest, signature), 'the key') };
  });
  const digest = digestOf('same R');
  items[29] = { digest, signature: signWithNonce(digest, nonce, nonce), key: keyOf(nonce) };
  assert.equal(assertAsRecovered(items), 30);
  assert.equal(verify(items, undefined, 0).recovered, 0);
});

test('two errors that cancel under equal multipliers are both found', () => {
  for (let round = 0; round < 10; round++) {
    const items = honestBatch(64);
    for (const [place, error] of [
      [5, 77n],
      [50, -77n],
    ] as const) {
      const digest = digestOf(`cancel ${place}`);
      items[place] = { digest, signature: signWithNonce(digest, secretOf(3), 1000n + BigInt(place), error), key: keyOfSigner(3) };
    }
    assert.equal(assertAsRecovered(items), 62);
  }
});

test('the crafted signatures without an error are valid, so that the test above tests the error', () => {
  const items = honestBatch(64);
  for (const place of [5, 50]) {
    const digest = digestOf(`cancel ${place}`);
    items[place] = { digest, signature: signWithNonce(digest, secretOf(3), 1000n + BigInt(place)), key: keyOfSigner(3) };
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
  assert.equal(assertAsRecovered(Array.from({ length: 100 }, (_, i): Item => ({ ...honest(i), digest: digestOf(`wrong ${i}`) }))), 0);
});

test('nonces that make sums meet, double and vanish are verified all the same', () => {
  const small = Array.from({ length: 200 }, (_, i): Item => {
    const digest = digestOf(`small ${i}`);
    return { digest, signature: signWithNonce(digest, secretOf(1), BigInt(i + 1)), key: keyOfSigner(1) };
  });
  assert.equal(assertAsRecovered(small), 200);
  const same = Array.from({ length: 200 }, () => honest(1));
  assert.equal(assertAsRecovered(same), 200);
  const opposite = Array.from({ length: 200 }, (_, i): Item => {
    const digest = digestOf(`opposite ${i}`);
    return { digest, signature: signWithNonce(digest, secretOf(i % 2), i % 3 === 0 ? 5n : ORDER - 5n), key: keyOfSigner(i % 2) };
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
    const digest = digestOf(`special ${place}`);
    items[place] = { digest, signature: signWithNonce(digest, secret, nonce), key: keyOf(secret) };
  }
  assert.equal(assertAsRecovered(items), 20);
});

test('batches of equal, opposite and doubled points are verified: no sum of two can be divided by zero', () => {
  // Nonces of which all R, and many sums of them, meet the same points again; keys whose multiples do, too.
  const nonces: readonly (readonly bigint[])[] = [[9n], [9n, ORDER - 9n], [1n, 2n, 4n, 8n], [1n, ORDER - 1n, 2n, ORDER - 2n, 3n]];
  const secrets: readonly (readonly bigint[])[] = [[1n], [9n, ORDER - 9n], [1n, 2n, 4n, ORDER - 2n], [5n, 6n, 7n]];
  for (const some of nonces) {
    for (const keysOf of secrets) {
      for (const count of [8, 9, 64, 300]) {
        const items = Array.from({ length: count }, (_, i): Item => {
          const [nonce, secret] = [present(some[i % some.length], 'a nonce'), present(keysOf[i % keysOf.length], 'a secret')];
          const digest = digestOf(`same ${i}`);
          return { digest, signature: signWithNonce(digest, secret, nonce), key: keyOf(secret) };
        });
        assert.equal(assertAsRecovered(items), count);
        assert.equal(verify(items, undefined, 0).recovered, 0);
        items[count >> 1] = { ...present(items[count >> 1], 'an item'), digest: digestOf('another') };
        assert.equal(assertAsRecovered(items), count - 1);
      }
    }
  }
});

test('the same item many times over is verified each time, and a wrong one many times over never', () => {
  const wrong = { ...honest(3), digest: digestOf('another') };
  for (const count of [8, 33, 200]) {
    assert.equal(assertAsRecovered(Array.from({ length: count }, () => honest(3))), count);
    assert.equal(assertAsRecovered(Array.from({ length: count }, (_, i) => (i % 2 === 0 ? honest(3) : wrong))), Math.ceil(count / 2));
  }
});

test('an r that is the x of no point, in any place and any number, affects nothing else', () => {
  for (const places of [[0], [1], [38, 39], [0, 1, 2, 3], [5, 20, 21]]) {
    const items = honestBatch(40);
    for (const place of places) items[place] = { ...honest(place), signature: signatureOf(place % 2, 5n, 99n) };
    assert.equal(recoverKey(honest(0).digest, signatureOf(0, 5n, 99n)), undefined);
    assert.equal(assertAsRecovered(items), 40 - places.length);
  }
});

test('digests of 0, n and above n are taken modulo n', () => {
  const items = honestBatch(20);
  [0n, ORDER, ORDER + 5n, 2n ** 256n - 1n].forEach((number, i) => {
    const digest = bytes32(number);
    items[i * 3] = { digest, signature: signWithNonce(digest, secretOf(2), 12345n + BigInt(i)), key: keyOfSigner(2) };
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
    const atBound = signatureOf(0, numberOf(signature.subarray(1, 33)), BigInt(`0x${bound}`));
    // Whatever key this signature belongs to is the expected one: it exists, since r is the x of a point.
    items[i * 9] = { digest, signature: atBound, key: present(recoverKey(digest, atBound), 'the key') };
  });
  assert.equal(assertAsRecovered(items), 40);
});

test('recovery ids 2 and 3 are verified by recovery where r + n is the x of a point', () => {
  const items = honestBatch(40);
  let found = 0;
  for (let r = 1n; found < 6; r++) {
    const digest = digestOf(`large ${r}`);
    const signature = signatureOf(2 + Number(r % 2n), r, 99n);
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

/** Signed by a key that nobody else signs with. */
function signedOnce(i: number): Item {
  const secret = 2_000_000n + BigInt(i);
  const digest = digestOf(`once ${i}`);
  return { digest, signature: signWithNonce(digest, secret, secret * 5n), key: keyOf(secret) };
}

test('items of all groups are judged the same, and a wrong one affects only its own group', () => {
  const items = Array.from({ length: 120 }, (_, i) => signedOnce(i));
  items[4] = { ...signedOnce(4), digest: digestOf('other') };
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
    items[count >> 1] = { ...honest(count >> 1), digest: digestOf('other') };
    const groups = Uint8Array.from(items, (_, i) => [TRUSTED, UNKNOWN, QUARANTINED][i % 3] ?? TRUSTED);
    for (const fewestTogether of SIZES) {
      const { verified, recovered } = verify(items, groups, fewestTogether);
      assert.deepEqual([recovered, verified.indexOf(0), verified.lastIndexOf(0)], [1, count >> 1, count >> 1]);
    }
  }
});

test('more keys that sign often than have their multiples remembered are all verified, also when they take turns', () => {
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
});

const P = secp256k1.Point.Fp.ORDER;
const keyBytes = (prefix: number, x: bigint): Uint8Array => Uint8Array.of(prefix, ...bytes32(x));
const xOfSigner = numberOf(keyOfSigner(0).subarray(1));
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
        const digest = digestOf(`nobody ${place}`);
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
    const digest = digestOf(`nobody ${i}`);
    return { digest, signature: signatureOfNobody(digest, BigInt(i + 1)), key: all[i % all.length] };
  });
  assert.equal(assertAsRecovered(items), 0);
  const { signers } = verify(items);
  assert.ok(signers.every((byte) => byte === 0));
});

test('where the digest is 0, signatures of nobody are no exception', () => {
  const items = honestBatch(20);
  items[3] = { digest: bytes32(0n), signature: signatureOf(0, numberOf(keyOf(7n).subarray(1)), 1n), key: new Uint8Array(33) };
  assert.equal(assertAsRecovered(items), 19);
});
