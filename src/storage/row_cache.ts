import type { SomeEntry } from './table_rows.ts';

// A search for an entry to evict ends after this many. Most may be dirty, or used a moment ago.
const LONGEST_SEARCH = 16;
/** The memory of an entry besides its row, from heap snapshots: itself, its key, its place in a map and in the ring. */
const ENTRY_BYTES = 400;
/** A decoded row for each byte on disk: a letter takes up to two, a number more than it has on disk. */
const DECODED_BYTES = 2;

/** Decides which entries stay in memory: those used recently (the clock algorithm) and all dirty ones. */
export class RowCache {
  readonly #capacityBytes: number;
  readonly #ring: SomeEntry[] = [];
  #bytes = 0;
  #hand = 0;

  /** Dirty entries may exceed the capacity until their block is committed. */
  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes;
  }

  /** The bytes that the entries take, as estimated from those of their rows on disk. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The entry itself stays, so that the caller can change it. */
  admit(entry: SomeEntry): void {
    this.#bytes += costBytes(entry.rowBytes);
    if (this.#isFull) this.#evictSome();
    this.#ring.push(entry);
  }

  /** Sets the bytes of an admitted entry's row. */
  resize(entry: SomeEntry, rowBytes: number): void {
    this.#bytes += costBytes(rowBytes) - costBytes(entry.rowBytes);
    entry.rowBytes = rowBytes;
  }

  /** Evicts what the last block needed beyond the capacity; called when no entry is dirty. */
  shrink(): void {
    while (this.#isFull && this.#ring.length > 0) this.#evictSome();
  }

  get #isFull(): boolean {
    return this.#bytes > this.#capacityBytes;
  }

  /** Few entries at a time, so that no transaction pays for many. */
  #evictSome(): void {
    for (let looked = 0; looked < LONGEST_SEARCH && this.#isFull; looked++) {
      if (this.#hand >= this.#ring.length) this.#hand = 0;
      const entry = this.#ring[this.#hand];
      if (entry === undefined) return;
      if (entry.dirty || entry.recent) this.#pass(entry);
      else this.#evict(entry);
    }
  }

  #pass(entry: SomeEntry): void {
    if (!entry.dirty) entry.recent = false;
    this.#hand++;
  }

  /** The newest entry takes its place, behind the hand. */
  #evict(entry: SomeEntry): void {
    const newest = this.#ring.pop();
    if (newest !== undefined && newest !== entry) this.#ring[this.#hand++] = newest;
    this.#bytes -= costBytes(entry.rowBytes);
    entry.rows.forget(entry);
  }
}

function costBytes(rowBytes: number): number {
  return ENTRY_BYTES + DECODED_BYTES * rowBytes;
}
