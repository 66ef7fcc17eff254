import { readWord } from '../codec/bytes.ts';
import { sha512 } from '../crypto/hashes.ts';
import type { BlockId, Digest } from '../values/hash.ts';

/** Bytes of a short id: 10 000 transactions that wait give a wrong candidate once in 28 million blocks of 1 000. */
export const SHORT_ID_BYTES = 6;
/** A leaf of a block's Merkle tree as words of 32 bits, little-endian. */
export const LEAF_WORDS = 8;

/** Nobody knows it before the block is signed, so nobody can prepare transactions whose short ids are equal. */
export type ShortIdKey = Int32Array;

/** The key of a block: of sha512(id ‖ "short") sixteen words of 32 bits, little-endian, half of them for each lane. */
export function shortIdKey(id: BlockId): ShortIdKey {
  const hash = Buffer.from(sha512(Buffer.concat([Buffer.from(id, 'hex'), Buffer.from('short')])));
  return Int32Array.from({ length: 2 * LEAF_WORDS }, (_, index) => hash.readInt32LE(index * 4));
}

const scratch = Buffer.alloc(LEAF_WORDS * 4);

/** Writes the words of a leaf. */
export function putLeafWords(words: Int32Array, at: number, leaf: Digest): void {
  scratch.write(leaf, 'hex');
  putLeafBytes(words, at, scratch);
}

/** The same of a leaf as bytes. */
export function putLeafBytes(words: Int32Array, at: number, leaf: Uint8Array): void {
  for (let k = 0; k < LEAF_WORDS; k++) words[at + k] = readWord(leaf, k * 4);
}

/** The words of leaves of 32 bytes each. */
export function wordsOfLeaves(leaves: Uint8Array): Int32Array {
  const words = new Int32Array(leaves.length / 4);
  for (let k = 0; k < words.length; k++) words[k] = readWord(leaves, k * 4);
  return words;
}

/**
 * The upper 24 bits of Σ key·word in 32 bits, of the first lane or the second: pairs of leaves fall together once in
 * 2²³ at most.
 */
function hashLane(key: ShortIdKey, lane: 0 | 1, words: Int32Array, at: number): number {
  let sum = 0;
  for (let k = 0; k < LEAF_WORDS; k++) sum = (sum + Math.imul(key[lane * LEAF_WORDS + k] ?? 0, words[at + k] ?? 0)) | 0;
  return sum >>> 8;
}

/** The short ids of leaves as they travel: three bytes of each lane, little-endian. */
export function computeShortIds(key: ShortIdKey, words: Int32Array): Uint8Array {
  const count = words.length / LEAF_WORDS;
  const out = new Uint8Array(count * SHORT_ID_BYTES);
  for (let index = 0; index < count; index++) {
    put(out, index * SHORT_ID_BYTES, hashLane(key, 0, words, index * LEAF_WORDS));
    put(out, index * SHORT_ID_BYTES + 3, hashLane(key, 1, words, index * LEAF_WORDS));
  }
  return out;
}

function put(out: Uint8Array, at: number, value: number): void {
  out[at] = value & 0xff;
  out[at + 1] = (value >>> 8) & 0xff;
  out[at + 2] = value >>> 16;
}

function take(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
}

/** Nothing known has the short id of an index. */
export const UNMATCHED = -1;
/** Several have, so that nobody can tell which one is meant. */
export const AMBIGUOUS = -2;

/** Finds which of the known leaves the short ids of a block mean. */
export class ShortIdTable {
  readonly count: number;
  readonly #key: ShortIdKey;
  readonly #lanes: readonly [Int32Array, Int32Array];
  /** Places of indexes, plus one; open addressing. */
  readonly #table: Int32Array;
  readonly #shift: number;
  /** Chance, or somebody could send short ids that all want the same place. */
  readonly #salts: readonly [number, number];
  /** For each index the number of the known leaf. */
  readonly matches: Int32Array;

  constructor(key: ShortIdKey, shortIds: Uint8Array, roll: (below: number) => number) {
    this.count = shortIds.length / SHORT_ID_BYTES;
    this.#key = key;
    this.#lanes = [new Int32Array(this.count), new Int32Array(this.count)];
    const bits = Math.max(4, Math.ceil(Math.log2(this.count * 2 + 1)));
    this.#table = new Int32Array(2 ** bits);
    this.#shift = 32 - bits;
    this.#salts = [roll(2 ** 31) * 2 + 1, roll(2 ** 31) * 2 + 1];
    this.matches = new Int32Array(this.count).fill(UNMATCHED);
    for (let index = 0; index < this.count; index++) this.#insert(index, shortIds);
  }

  /** True if something that is known may still stand for one of them. */
  get hasUnmatched(): boolean {
    return this.matches.includes(UNMATCHED);
  }

  /** Looks at that many known leaves, numbered from `first` on; places of which `isKnown` says no are empty. */
  look(words: Int32Array, leaves: number, isKnown: (leaf: number) => boolean, first = 0): void {
    for (let leaf = 0; leaf < leaves; leaf++) {
      if (!isKnown(leaf)) continue;
      const a = hashLane(this.#key, 0, words, leaf * LEAF_WORDS);
      const b = hashLane(this.#key, 1, words, leaf * LEAF_WORDS);
      const index = (this.#table[this.#find(a, b)] ?? 0) - 1;
      if (index >= 0) this.matches[index] = this.matches[index] === UNMATCHED ? first + leaf : AMBIGUOUS;
    }
  }

  #insert(index: number, shortIds: Uint8Array): void {
    const [a, b] = [take(shortIds, index * SHORT_ID_BYTES), take(shortIds, index * SHORT_ID_BYTES + 3)];
    this.#lanes[0][index] = a;
    this.#lanes[1][index] = b;
    const place = this.#find(a, b);
    const other = (this.#table[place] ?? 0) - 1;
    if (other < 0) {
      this.#table[place] = index + 1;
      return;
    }
    // Nobody can tell which of the two is meant.
    this.matches[other] = AMBIGUOUS;
    this.matches[index] = AMBIGUOUS;
  }

  /** The place of the short id, or the free one where it would be. */
  #find(a: number, b: number): number {
    const mask = this.#table.length - 1;
    let place = ((Math.imul(a, this.#salts[0]) + Math.imul(b, this.#salts[1])) >>> this.#shift) & mask;
    for (;;) {
      const index = (this.#table[place] ?? 0) - 1;
      if (index < 0 || (this.#lanes[0][index] === a && this.#lanes[1][index] === b)) return place;
      place = (place + 1) & mask;
    }
  }
}
