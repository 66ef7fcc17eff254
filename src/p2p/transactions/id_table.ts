import { ID_BYTES, type TransactionId } from '../../values/hash.ts';
import { readWord } from '../../codec/bytes.ts';
import type { RandomSource } from '../environment/environment.ts';

/** The slot of an id that is not in the table. */
export const NO_SLOT = -1;
const ID_WORDS = ID_BYTES / 4;
const FIRST_CAPACITY = 64;

/**
 * A set of transaction ids as bytes. Each has a slot, a small number under which its users keep what they know of the
 * transaction in arrays. A removed id's slot is given to a later one.
 *
 * Strangers choose ids by trying many. So an id's place follows from factors that only this process knows, and ids are
 * compared as a whole. Ids that share a place a thousand times as often as by chance, whatever the factors are, must
 * agree in 40 bits or more of their first two words: 2⁴⁰ hashes for each.
 */
export class IdTable {
  readonly #factors: readonly [number, number];
  /** By slot, five words of 32 bits each. */
  #words = new Int32Array(FIRST_CAPACITY * ID_WORDS);
  /** By place, a slot plus one, 0 if it is free. At least half are free; who finds its place taken has the next one. */
  #places = new Int32Array(FIRST_CAPACITY * 2);
  #slots = 0;
  readonly #freeSlots: number[] = [];

  constructor(randomSource: RandomSource) {
    const odd = (): number => randomSource.roll(2 ** 31) * 2 + 1;
    this.#factors = [odd(), odd()];
  }

  get size(): number {
    return this.#slots - this.#freeSlots.length;
  }

  /** All slots are below. */
  get slots(): number {
    return this.#slots;
  }

  /** The slot of the id in these bytes. */
  find(ids: Uint8Array, at: number): number {
    const places = this.#places;
    const mask = places.length - 1;
    let place = this.#home(readWord(ids, at), readWord(ids, at + 4));
    for (;;) {
      const slot = (places[place] ?? 0) - 1;
      if (slot < 0 || this.#isIn(slot, ids, at)) return slot;
      place = (place + 1) & mask;
    }
  }

  /** The same for an id as text. */
  findText(id: TransactionId): number {
    scratch.write(id, 'hex');
    return this.find(scratch, 0);
  }

  /** Adds an id that is not in the table, and returns its slot. */
  add(ids: Uint8Array, at: number): number {
    const slot = this.#freeSlots.pop() ?? this.#slots++;
    if (slot * ID_WORDS >= this.#words.length) this.#grow();
    for (let k = 0; k < ID_WORDS; k++) this.#words[slot * ID_WORDS + k] = readWord(ids, at + k * 4);
    this.#place(slot);
    return slot;
  }

  /** The slot of an id, which is added if it is not in the table. */
  put(ids: Uint8Array, at: number): number {
    const known = this.find(ids, at);
    return known === NO_SLOT ? this.add(ids, at) : known;
  }

  /** Removes an id; false if it was not in the table. */
  delete(ids: Uint8Array, at: number): boolean {
    const slot = this.find(ids, at);
    if (slot !== NO_SLOT) this.remove(slot);
    return slot !== NO_SLOT;
  }

  /** Removes the id of a slot. */
  remove(slot: number): void {
    const places = this.#places;
    const mask = places.length - 1;
    let free = this.#homeOf(slot);
    while (places[free] !== slot + 1) free = (free + 1) & mask;
    // Those behind it that would not be found across the gap move into it.
    for (let next = (free + 1) & mask; places[next] !== 0; next = (next + 1) & mask) {
      const moved = places[next] ?? 0;
      if (((next - this.#homeOf(moved - 1)) & mask) < ((next - free) & mask)) continue;
      places[free] = moved;
      free = next;
    }
    places[free] = 0;
    this.#freeSlots.push(slot);
  }

  clear(): void {
    this.#places.fill(0);
    this.#slots = 0;
    this.#freeSlots.length = 0;
  }

  /** The id of a slot as text. */
  text(slot: number): TransactionId {
    for (let k = 0; k < ID_WORDS; k++) scratch.writeInt32LE(this.#words[slot * ID_WORDS + k] ?? 0, k * 4);
    return scratch.toString('hex');
  }

  #isIn(slot: number, ids: Uint8Array, at: number): boolean {
    for (let k = 0; k < ID_WORDS; k++) if (this.#words[slot * ID_WORDS + k] !== readWord(ids, at + k * 4)) return false;
    return true;
  }

  #place(slot: number): void {
    const mask = this.#places.length - 1;
    let place = this.#homeOf(slot);
    while (this.#places[place] !== 0) place = (place + 1) & mask;
    this.#places[place] = slot + 1;
  }

  #homeOf(slot: number): number {
    return this.#home(this.#words[slot * ID_WORDS] ?? 0, this.#words[slot * ID_WORDS + 1] ?? 0);
  }

  /** The upper bits of a sum are those that all bits of the words have a part in. */
  #home(first: number, second: number): number {
    const sum = Math.imul(first, this.#factors[0]) + Math.imul(second, this.#factors[1]);
    return sum >>> Math.clz32(this.#places.length - 1);
  }

  #grow(): void {
    const words = new Int32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
    const slots = this.#places.filter((entry) => entry !== 0);
    this.#places = new Int32Array(this.#places.length * 2);
    for (const entry of slots) this.#place(entry - 1);
  }
}

/** The same for the last ids of a kind: the given number at least, twice as many at most, as in `RememberedIds`. */
export class RecentIds {
  readonly #least: number;
  #newer: IdTable;
  #older: IdTable;

  constructor(least: number, randomSource: RandomSource) {
    this.#least = least;
    this.#newer = new IdTable(randomSource);
    this.#older = new IdTable(randomSource);
  }

  has(ids: Uint8Array, at: number): boolean {
    return this.#newer.find(ids, at) !== NO_SLOT || this.#older.find(ids, at) !== NO_SLOT;
  }

  add(ids: Uint8Array, at: number): void {
    this.#newer.put(ids, at);
    if (this.#newer.size < this.#least) return;
    [this.#newer, this.#older] = [this.#older, this.#newer];
    this.#newer.clear();
  }
}

/** The ids of transactions, one behind the other. */
export function packIds(transactions: readonly { readonly id: TransactionId }[]): Uint8Array<ArrayBuffer> {
  return Buffer.from(transactions.map(({ id }) => id).join(''), 'hex');
}

/** True if the ids at two places are the same. */
export function isSameId(ids: Uint8Array, at: number, others: Uint8Array, otherAt: number): boolean {
  for (let k = 0; k < ID_BYTES; k++) if (ids[at + k] !== others[otherAt + k]) return false;
  return true;
}

/** Those of the ids whose index is wanted. */
export function selectIds(ids: Uint8Array, isWanted: (index: number) => boolean): Uint8Array {
  const some: Uint8Array[] = [];
  for (let at = 0; at < ids.length; at += ID_BYTES)
    if (isWanted(at / ID_BYTES)) some.push(ids.subarray(at, at + ID_BYTES));
  return Buffer.concat(some);
}

const scratch = Buffer.alloc(ID_BYTES);
