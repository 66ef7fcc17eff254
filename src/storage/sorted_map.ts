import { assert } from '../base/assert.ts';

// Moving half a chunk costs less than comparing two long keys; larger chunks slow down insertion, smaller ones the
// search.
const CHUNK_CAPACITY = 512;

interface Chunk<V> {
  readonly keys: string[];
  readonly values: V[];
}

export interface SortedEntry<V> {
  readonly key: string;
  readonly value: V;
}

/** A map sorted by its keys: binary strings with one character per byte, so that `<` compares the bytes. */
export class SortedMap<V> {
  /** Never contains an empty chunk. */
  #chunks: Chunk<V>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  clear(): void {
    this.#chunks = [];
    this.#size = 0;
  }

  get(key: string): V | undefined {
    const chunk = this.#chunks[this.#chunkFor(key)];
    if (chunk === undefined) return undefined;
    const at = lowerBound(chunk.keys, key);
    return chunk.keys[at] === key ? chunk.values[at] : undefined;
  }

  set(key: string, value: V): void {
    const index = Math.min(this.#chunkFor(key), this.#chunks.length - 1);
    const chunk = this.#chunks[index];
    if (chunk === undefined) {
      this.#chunks.push({ keys: [key], values: [value] });
      this.#size++;
      return;
    }
    const at = lowerBound(chunk.keys, key);
    if (chunk.keys[at] === key) {
      chunk.values[at] = value;
      return;
    }
    chunk.keys.splice(at, 0, key);
    chunk.values.splice(at, 0, value);
    this.#size++;
    if (chunk.keys.length > CHUNK_CAPACITY) this.#split(index, chunk);
  }

  delete(key: string): boolean {
    const index = this.#chunkFor(key);
    const chunk = this.#chunks[index];
    if (chunk === undefined) return false;
    const at = lowerBound(chunk.keys, key);
    if (chunk.keys[at] !== key) return false;
    chunk.keys.splice(at, 1);
    chunk.values.splice(at, 1);
    if (chunk.keys.length === 0) this.#chunks.splice(index, 1);
    this.#size--;
    return true;
  }

  first(): SortedEntry<V> | undefined {
    const chunk = this.#chunks[0];
    return chunk === undefined ? undefined : chunkEntry(chunk, 0);
  }

  /** Entries from `lower` (inclusive) to `upper` (exclusive; to the end if absent), in reverse order if `reverse`. */
  slice(lower: string, upper: string | undefined, reverse: boolean, limit: number): SortedEntry<V>[] {
    const found: SortedEntry<V>[] = [];
    const step = reverse ? -1 : 1;
    let index = reverse ? this.#lastSmallerChunk(upper) : this.#chunkFor(lower);
    for (let chunk = this.#chunks[index]; chunk !== undefined; chunk = this.#chunks[(index += step)]) {
      const start = lowerBound(chunk.keys, lower);
      const end = upper === undefined ? chunk.keys.length : lowerBound(chunk.keys, upper);
      for (let n = 0; n < end - start; n++) {
        if (found.length >= limit) return found;
        found.push(chunkEntry(chunk, reverse ? end - 1 - n : start + n));
      }
      // Only the chunk at the far edge of the range extends beyond it.
      if (reverse ? start > 0 : end < chunk.keys.length) return found;
    }
    return found;
  }

  /** Drops the last chunk, which has the greatest keys; returns the smallest key dropped. */
  dropLastChunk(): string | undefined {
    const dropped = this.#chunks.pop();
    this.#size -= dropped?.keys.length ?? 0;
    return dropped?.keys[0];
  }

  /** The index of the first chunk that ends at or after `key`; the number of chunks if there is none. */
  #chunkFor(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lastKey(this.#chunks[middle]) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #lastSmallerChunk(upper: string | undefined): number {
    const last = this.#chunks.length - 1;
    return upper === undefined ? last : Math.min(this.#chunkFor(upper), last);
  }

  #split(index: number, chunk: Chunk<V>): void {
    const middle = chunk.keys.length >>> 1;
    this.#chunks.splice(index + 1, 0, { keys: chunk.keys.splice(middle), values: chunk.values.splice(middle) });
  }
}

function lastKey<V>(chunk: Chunk<V> | undefined): string {
  return chunk?.keys[chunk.keys.length - 1] ?? '';
}

function chunkEntry<V>(chunk: Chunk<V>, at: number): SortedEntry<V> {
  const key = chunk.keys[at];
  const value = chunk.values[at];
  assert(key !== undefined && value !== undefined, 'a chunk has an entry at each of its places');
  return { key, value };
}

/** The index of the first key that is not less than `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
