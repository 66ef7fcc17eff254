import { randomFillSync } from 'node:crypto';
import { assert, present } from '../base/assert.ts';
import { recoverKeys } from './recover.ts';
import { TRUSTED, UNKNOWN } from './sender_reputation.ts';
import type { Group } from './sender_reputation.ts';
import type { CryptoModule } from './wasm.ts';
import { cryptoModule } from './wasm.ts';

/** In `expected`: no key is expected, so the item is recovered. */
export const NO_KEY = 0xffff;

/** A smaller batch costs as much as recovering each item (bench/crypto). */
const SMALLEST_BATCH = 8;
/**
 * From this many on, verifying all together costs less than one by one with looked-up multiples of the keys
 * (native/signer_tables.h).
 */
const FEWEST_TOGETHER = 192;

/** Verdicts of the module. */
const VERIFIED = 1;
const REFUTED = 2;

/** Signatures with the public keys expected to have made them; all lists are contiguous. */
export interface ExpectedSigners {
  readonly count: number;
  /** count × 32 bytes. */
  readonly digests: Uint8Array;
  /** count × 65 bytes. */
  readonly signatures: Uint8Array;
  /** For each item, the index of its key in `keys`, or NO_KEY. */
  readonly expected: Uint16Array;
  /** The distinct expected keys, 33 bytes each. */
  readonly keys: Uint8Array;
  /**
   * The group each item is verified in (sender_reputation.ts), so that a wrong one only affects its own group; one
   * group by default.
   */
  readonly groups?: Uint8Array;
}

/** The signers of a batch. */
export interface FoundSigners {
  /** 1 where the expected key signed. */
  readonly verified: Uint8Array;
  /** The keys that signed, 33 bytes each; zero for an invalid signature. */
  readonly signers: Uint8Array;
  /**
   * Number of items recovered, each at the cost of several verified ones; without wrong signatures only the unavoidable
   * ones.
   */
  readonly recovered: number;
}

/** A batch in progress, and what was found so far. */
interface Verification {
  readonly batch: ExpectedSigners;
  readonly found: Omit<FoundSigners, 'recovered'>;
  /** 1 where the expected key hasn't signed: recovery tells who has. */
  readonly refuted: Uint8Array;
}

/**
 * Verifies the expected signers (design, section 5) and recovers the others: the result equals recovering every item,
 * except with a probability of 2⁻¹²⁸ per call. No canonical rule is applied. `fewestTogether` is the size from which a
 * batch is verified as a whole.
 */
export function verifySigners(batch: ExpectedSigners, fewestTogether = FEWEST_TOGETHER): FoundSigners {
  const { count } = batch;
  assert(
    batch.digests.length === count * 32 && batch.signatures.length === count * 65,
    'a digest and a signature for each item',
  );
  assert(
    batch.expected.length === count && batch.keys.length % 33 === 0,
    'an expected key for each item, keys of 33 bytes',
  );
  const found = { verified: new Uint8Array(count), signers: new Uint8Array(count * 33) };
  const verification = { batch, found, refuted: new Uint8Array(count) };
  if (count < fewestTogether) verifyOneByOne(verification);
  verifyGroup(verification, TRUSTED);
  if (batch.groups !== undefined) verifyGroup(verification, UNKNOWN);
  if (count >= fewestTogether) verifyOneByOne(verification);
  const rest = itemsWhere(batch, (item) => found.verified[item] === 0);
  recoverRest(batch, rest, found);
  return { ...found, recovered: rest.length };
}

/**
 * 1 for each item of which the expected key is known to sign often, and has signed; nothing is recovered, and groups
 * make no difference.
 */
export function verifyKnownSigners(batch: ExpectedSigners): Uint8Array {
  const { count } = batch;
  const found = { verified: new Uint8Array(count), signers: new Uint8Array(count * 33) };
  verifyOneByOne({ batch, found, refuted: new Uint8Array(count) });
  return found.verified;
}

/** Items that have an expected key and no verdict yet. */
function openItems({ batch, found, refuted }: Verification): number[] {
  return itemsWhere(
    batch,
    (item) => batch.expected[item] !== NO_KEY && found.verified[item] === 0 && refuted[item] === 0,
  );
}

/** Verifies items whose expected keys sign often, with multiples of these that are looked up. */
function verifyOneByOne(verification: Verification): void {
  verifyInModule(verification, openItems(verification), (module, count, keyCount) =>
    module.proveByTables(count, keyCount),
  );
}

/** Verifies the items of a group together. */
function verifyGroup(verification: Verification, group: Group): void {
  const { groups } = verification.batch;
  const together = openItems(verification).filter((item) => (groups?.[item] ?? TRUSTED) === group);
  if (together.length < SMALLEST_BATCH) return;
  verifyInModule(verification, together, (module, count, keyCount) => {
    // An attacker who knew the multipliers in advance could make wrong signatures cancel out: each batch gets fresh
    // ones.
    randomFillSync(module.multipliers, 0, count * 16);
    module.prove(count, keyCount);
  });
}

function itemsWhere(batch: ExpectedSigners, test: (item: number) => boolean): number[] {
  const items: number[] = [];
  for (let item = 0; item < batch.count; item++) if (test(item)) items.push(item);
  return items;
}

const expectedKey = (batch: ExpectedSigners, item: number): Uint8Array => {
  const key = batch.expected[item] ?? NO_KEY;
  return batch.keys.subarray(key * 33, key * 33 + 33);
};

/** Loads the items and their keys, renumbered in order of appearance, into the module; returns the number of keys. */
function load(module: CryptoModule, batch: ExpectedSigners, items: readonly number[]): number {
  const numbers = new Uint16Array(batch.keys.length / 33).fill(NO_KEY);
  let count = 0;
  for (const [place, item] of items.entries()) {
    const key = batch.expected[item] ?? NO_KEY;
    if (numbers[key] === NO_KEY) {
      module.expectedKeys.set(expectedKey(batch, item), count * 33);
      numbers[key] = count++;
    }
    module.expected[place] = present(numbers[key], 'an expected key is one of the keys');
  }
  forEachRun(items, (first, place, run) => {
    module.digests.set(batch.digests.subarray(first * 32, (first + run) * 32), place * 32);
    module.signatures.set(batch.signatures.subarray(first * 65, (first + run) * 65), place * 65);
  });
  return count;
}

/**
 * Calls `copy` for each run of consecutive items, usually just one: a call per item costs as much as copying its bytes.
 */
function forEachRun(items: readonly number[], copy: (first: number, place: number, count: number) => void): void {
  let start = 0;
  for (let place = 1; place <= items.length; place++) {
    const first = items[start] ?? 0;
    if (items[place] === first + place - start) continue;
    copy(first, start, place - start);
    start = place;
  }
}

/** Notes the module's verdicts on these items, as many at a time as it takes. */
function verifyInModule(
  { batch, found, refuted }: Verification,
  items: readonly number[],
  verify: (module: CryptoModule, count: number, keyCount: number) => void,
): void {
  const module = cryptoModule();
  for (let from = 0; from < items.length; from += module.maxItems) {
    const some = items.slice(from, from + module.maxItems);
    verify(module, some.length, load(module, batch, some));
    for (const [place, item] of some.entries()) {
      if (module.verdicts[place] === REFUTED) refuted[item] = 1;
      if (module.verdicts[place] !== VERIFIED) continue;
      found.verified[item] = 1;
      copyKey(batch, item, found.signers);
    }
  }
}

/** Byte by byte: to make views of 33 bytes, and to copy them, takes ten times as long. */
function copyKey({ expected, keys }: ExpectedSigners, item: number, signers: Uint8Array): void {
  const [from, to] = [(expected[item] ?? NO_KEY) * 33, item * 33];
  for (let at = 0; at < 33; at++) signers[to + at] = keys[from + at] ?? 0;
}

function recoverRest(batch: ExpectedSigners, items: readonly number[], found: Verification['found']): void {
  const digests = new Uint8Array(items.length * 32);
  const signatures = new Uint8Array(items.length * 65);
  items.forEach((item, place) => {
    digests.set(batch.digests.subarray(item * 32, item * 32 + 32), place * 32);
    signatures.set(batch.signatures.subarray(item * 65, item * 65 + 65), place * 65);
  });
  const { keys, recovered } = recoverKeys(items.length, digests, signatures);
  items.forEach((item, place) => {
    const signer = keys.subarray(place * 33, place * 33 + 33);
    found.signers.set(signer, item * 33);
    const isExpected =
      recovered[place] === 1 &&
      batch.expected[item] !== NO_KEY &&
      Buffer.compare(signer, expectedKey(batch, item)) === 0;
    found.verified[item] = isExpected ? 1 : 0;
  });
}
