import type { SomeEntry } from './table_rows.ts';

// A search for an entry to evict ends after this many. Most may be dirty, or used a moment ago.
const LONGEST_SEARCH = 16;

/** Decides which entries stay in memory: those used recently (the clock algorithm) and all dirty ones. */
export class RowCache {
  readonly #capacity: number;
  readonly #ring: SomeEntry[] = [];
  #hand = 0;

  /** `capacity` is in rows; dirty rows may exceed it until their block is committed. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  admit(entry: SomeEntry): void {
    const slot = this.#ring.length < this.#capacity ? undefined : this.#free();
    if (slot === undefined) this.#ring.push(entry);
    else this.#ring[slot] = entry;
  }

  /** Evicts what the last block needed beyond the capacity; called when no entry is dirty. */
  shrink(): void {
    while (this.#ring.length > this.#capacity) {
      const entry = this.#ring.pop();
      entry?.rows.forget(entry);
    }
  }

  /** The slot of an evicted entry; `undefined` if all the examined entries are dirty. */
  #free(): number | undefined {
    let clean: number | undefined;
    for (let looked = 0; looked < LONGEST_SEARCH; looked++) {
      this.#hand = (this.#hand + 1) % this.#ring.length;
      const entry = this.#ring[this.#hand];
      if (entry === undefined || entry.dirty) continue;
      clean = this.#hand;
      if (!entry.recent) break;
      entry.recent = false;
    }
    const evicted = clean === undefined ? undefined : this.#ring[clean];
    evicted?.rows.forget(evicted);
    return clean;
  }
}
