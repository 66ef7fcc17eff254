import { assert } from '../base/assert.ts';
import { ByteWriter } from '../codec/bytes.ts';
import { binaryText, binaryTextBytes } from './binary_text.ts';
import type { KeyValueReader } from './key_value.ts';
import { keyRange, sameTuple, writeIndexKey } from './index_key.ts';
import { decodeKeyParts } from './row_bytes.ts';
import type { Bounds } from './rows.ts';
import { type SortedEntry, SortedMap } from './sorted_map.ts';
import type { Index, Table } from './table.ts';

const PAGE = 64; // committed entries per read: a block rarely takes more from the front of an index
const LARGEST_PAGE = 1024; // page size doubles up to here while skipping entries that the block has removed
const LARGEST_FRONT = 4096; // entries of the front in memory, about 1 MiB per index

const scratch = new ByteWriter();

/**
 * An index that includes pending changes. The committed entries are on disk; `#added` and `#removed` are the block's
 * changes (an entry may be in both: removed, then replaced by another row). `#front` holds every current entry before
 * `#bound`, so that reading the first entry is free when the chain only checks whether something is due.
 */
export class WritableIndex<Key, Row> {
  readonly #index: Index<readonly unknown[], Row>;
  readonly #table: Table<Key, Row>;
  readonly #committed: KeyValueReader;
  readonly #begin: string;
  readonly #end: string;
  readonly #added = new SortedMap<Key>();
  readonly #removed = new Set<string>();
  readonly #front = new SortedMap<Key>();
  #bound: string;

  constructor(index: Index<readonly unknown[], Row>, table: Table<Key, Row>, committed: KeyValueReader) {
    this.#index = index;
    this.#table = table;
    this.#committed = committed;
    const { lower, upper } = keyRange(index, { limit: 1 });
    this.#begin = binaryText(lower);
    this.#bound = this.#begin;
    this.#end = binaryText(upper);
  }

  /** Updates the index: the row with this key changes from `before` to `after`. */
  move(key: Key, before: Row | undefined, after: Row | undefined): void {
    const from = before === undefined ? undefined : this.#index.of(before);
    const to = after === undefined ? undefined : this.#index.of(after);
    if (sameTuple(from, to)) return;
    if (from !== undefined) this.#leave(this.#keyOf(from, key));
    if (to !== undefined) this.#enter(this.#keyOf(to, key), key);
  }

  /** The key of the first row. */
  first(): Key | undefined {
    while (this.#front.size === 0 && this.#bound < this.#end) this.#extendFront();
    return this.#front.first()?.value;
  }

  /** The keys of the rows within the bounds, in order. */
  range(bounds: Bounds<readonly unknown[]>): Key[] {
    const within = keyRange(this.#index, bounds);
    const lower = binaryText(within.lower);
    const upper = binaryText(within.upper);
    if (lower >= upper) return [];
    const { reverse = false, limit } = bounds;
    // Reading from the beginning loads the front; a small index is then completely in memory.
    if (lower === this.#begin && upper > this.#bound && this.#front.size < PAGE) this.#extendFront();
    const found =
      upper <= this.#bound
        ? this.#front.slice(lower, upper, reverse, limit)
        : this.#merged(lower, upper, reverse, limit);
    return found.map((entry) => entry.value);
  }

  /** To be called when the pending changes have been committed. */
  commit(): void {
    this.#added.clear();
    this.#removed.clear();
  }

  /** Discards the pending changes; the front is read from disk again when needed. */
  discard(): void {
    if (this.#added.size === 0 && this.#removed.size === 0) return;
    this.commit();
    this.#front.clear();
    this.#bound = this.#begin;
  }

  #keyOf(tuple: readonly unknown[], key: Key): string {
    scratch.reset();
    writeIndexKey(scratch, this.#index, tuple, this.#table, key);
    return binaryText(scratch.view());
  }

  #enter(entry: string, key: Key): void {
    assert(this.#added.get(entry) === undefined, `${this.#index.name} has one row for each tuple`);
    this.#added.set(entry, key);
    if (entry >= this.#bound) return;
    assert(this.#front.get(entry) === undefined, `${this.#index.name} has one row for each tuple`);
    this.#front.set(entry, key);
    if (this.#front.size > LARGEST_FRONT) this.#bound = this.#front.dropLastChunk() ?? this.#bound;
  }

  #leave(entry: string): void {
    if (!this.#added.delete(entry)) this.#removed.add(entry);
    this.#front.delete(entry);
  }

  /** Moves the bound past the next committed entries. */
  #extendFront(): void {
    const lower = this.#bound;
    const page = this.#page(lower, this.#end, false, PAGE);
    const last = page[PAGE - 1];
    this.#bound = last === undefined ? this.#end : nextKey(last.key);
    for (const { key, value } of page) if (!this.#removed.has(key)) this.#front.set(key, value);
    for (const { key, value } of this.#added.slice(lower, this.#bound, false, Infinity)) this.#front.set(key, value);
  }

  #merged(lower: string, upper: string, reverse: boolean, limit: number): SortedEntry<Key>[] {
    const added = this.#added.slice(lower, upper, reverse, limit);
    const kept = this.#kept(lower, upper, reverse, limit);
    const direction = reverse ? -1 : 1;
    return [...added, ...kept].sort((a, b) => (a.key < b.key ? -direction : direction)).slice(0, limit);
  }

  /** Committed entries that the block has not removed. */
  #kept(lower: string, upper: string, reverse: boolean, limit: number): SortedEntry<Key>[] {
    const kept: SortedEntry<Key>[] = [];
    let [from, to, size] = [lower, upper, limit];
    while (kept.length < limit) {
      size = Math.min(size * 2, LARGEST_PAGE);
      const page = this.#page(from, to, reverse, size);
      for (const entry of page) if (!this.#removed.has(entry.key)) kept.push(entry);
      const last = page[size - 1];
      if (last === undefined) break;
      if (reverse) to = last.key;
      else from = nextKey(last.key);
    }
    return kept;
  }

  #page(lower: string, upper: string, reverse: boolean, limit: number): SortedEntry<Key>[] {
    const page = this.#committed.range('order', {
      lower: binaryTextBytes(lower),
      upper: binaryTextBytes(upper),
      reverse,
      limit,
    });
    return page.map(({ key, value }) => ({ key: binaryText(key), value: decodeKeyParts(this.#table, value) }));
  }
}

function nextKey(key: string): string {
  return `${key}\0`;
}
