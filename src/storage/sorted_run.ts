import { MEBIBYTE } from '../base/bytes.ts';
import { WriteBatch, type Column, type KeyValueStore } from './key_value.ts';

/** The number of an entry lies in the low bits of what is sorted. */
const NUMBER_BITS = 20;
const MOST_ENTRIES = 2 ** NUMBER_BITS;
/** Memory of a run; a table has up to four. */
const MOST_BYTES = 64 * MEBIBYTE;
const FIRST_BYTES = MEBIBYTE;
const ENTRIES_A_WRITE = 4096;
/** Of an entry: the lengths of its key and of its value. */
const LENGTHS_BYTES = 8;

/**
 * Entries of one range of keys that come in any order, to be written nearly in the order of their keys, many at a time.
 * Keys that are written at random are the dearest: each file of the database then overlaps all others, and is merged
 * with them again and again.
 */
export class SortedRun {
  readonly #store: KeyValueStore;
  readonly #column: Column;
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #used = 0;
  #starts: number[] = [];
  /** With how many bytes all keys begin alike. */
  #alike = Infinity;

  constructor(store: KeyValueStore, column: Column) {
    this.#store = store;
    this.#column = column;
  }

  /** Copies the entry; it is written later. */
  put(key: Uint8Array, value: Uint8Array): void {
    const bytes = LENGTHS_BYTES + key.length + value.length;
    if (this.#starts.length === MOST_ENTRIES || (this.#used + bytes > MOST_BYTES && this.#used > 0)) this.flush();
    this.#alike = this.#used === 0 ? key.length : this.#commonPrefix(key);
    this.#reserve(bytes);
    const start = this.#used;
    this.#starts.push(start);
    this.#bytes.writeUInt32LE(key.length, start);
    this.#bytes.writeUInt32LE(value.length, start + 4);
    this.#bytes.set(key, start + LENGTHS_BYTES);
    this.#bytes.set(value, start + LENGTHS_BYTES + key.length);
    this.#used += bytes;
  }

  /** Writes what has been put. */
  flush(): void {
    let batch = new WriteBatch();
    for (const start of this.#inOrder()) {
      const [key, value] = this.#readEntry(start);
      batch.put(this.#column, key, value);
      if (batch.changes.length < ENTRIES_A_WRITE) continue;
      this.#store.write(batch, false);
      batch = new WriteBatch();
    }
    this.#store.write(batch, false);
    this.#starts = [];
    this.#used = 0;
    // Who keeps what is written may keep the bytes.
    this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }

  #commonPrefix(key: Uint8Array): number {
    const first = LENGTHS_BYTES;
    let length = 0;
    while (length < this.#alike && this.#bytes[first + length] === key[length]) length++;
    return length;
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }

  /** By the 44 bits in which keys begin to differ, and by when they came: the rest is left to the database. */
  *#inOrder(): Generator<number> {
    const sorted = new BigUint64Array(this.#starts.length);
    const view = new DataView(sorted.buffer);
    for (const [number, start] of this.#starts.entries()) {
      const from = start + LENGTHS_BYTES + this.#alike;
      const end = start + LENGTHS_BYTES + this.#bytes.readUInt32LE(start);
      const byte = (at: number): number => (from + at < end ? (this.#bytes[from + at] ?? 0) : 0);
      view.setUint32(8 * number + 4, ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0, true);
      view.setUint32(8 * number, (((byte(4) << 4) | (byte(5) >>> 4)) << NUMBER_BITS) | number, true);
    }
    sorted.sort();
    for (let at = 0; at < sorted.length; at++)
      yield this.#starts[view.getUint32(8 * at, true) & (MOST_ENTRIES - 1)] ?? 0;
  }

  #readEntry(start: number): readonly [key: Uint8Array, value: Uint8Array] {
    const key = start + LENGTHS_BYTES;
    const value = key + this.#bytes.readUInt32LE(start);
    return [this.#bytes.subarray(key, value), this.#bytes.subarray(value, value + this.#bytes.readUInt32LE(start + 4))];
  }
}
