import { present } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';
import { binaryText, binaryTextBytes } from './binary_text.ts';
import {
  columns,
  type Column,
  type KeyRange,
  type KeyValueEntry,
  type KeyValueStore,
  type WriteBatch,
} from './key_value.ts';
import { allChanges, PreparedList } from './prepared_list.ts';
import { SortedMap } from './sorted_map.ts';

/** Walks the entries of a column as they were when it was made, in one direction. */
export interface ColumnCursor {
  /** Goes to the first entry from that key on; backwards, to the last one up to it. */
  seek(key: Uint8Array): void;
  /** At most that many entries; fewer at the end. */
  next(count: number): KeyValueEntry[];
  close(): void;
}

/** A database whose state of a moment can be walked while others write. */
export interface CursorSource {
  cursor(column: Column, reverse: boolean): ColumnCursor;
  version(): number;
}

interface Cursors {
  readonly forwards: ColumnCursor;
  readonly backwards: ColumnCursor;
}

interface Held {
  /** Undefined where the entry was deleted. */
  readonly value: Uint8Array | undefined;
}

type WholeRange = Required<Pick<KeyRange, 'lower' | 'upper' | 'reverse' | 'limit'>>;

interface ChangedEntry extends Held {
  readonly key: Uint8Array;
}

/** A write is over in milliseconds and the next one seconds away, so the second attempt nearly always does. */
const MOST_ATTEMPTS = 1000;
/** Entries that are read ahead of need, doubled up to the most. */
const FIRST_PAGE = 16;
const LARGEST_PAGE = 1000;

/**
 * One committed state of a database for as long as it takes, whoever writes meanwhile; what is written to it stays in
 * memory. Close it before the database.
 */
export class PinnedStore implements KeyValueStore {
  readonly #cursors: ReadonlyMap<Column, Cursors>;
  readonly #held = new Map<Column, SortedMap<Held>>(columns.map((column) => [column, new SortedMap()]));
  #version = 0;

  private constructor(cursors: ReadonlyMap<Column, Cursors>) {
    this.#cursors = cursors;
  }

  /** Fault `runtime` when the database is written all the time. */
  static of(source: CursorSource): PinnedStore {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const before = source.version();
      const store = new PinnedStore(
        new Map(
          columns.map((column) => [
            column,
            { forwards: source.cursor(column, false), backwards: source.cursor(column, true) },
          ]),
        ),
      );
      // Then all columns are of one state.
      if (source.version() === before) return store;
      store.close();
    }
    throw new Fault('runtime', 'the database is written all the time: no state of it can be held on to');
  }

  get(column: Column, key: Uint8Array): Uint8Array | undefined {
    const held = this.#heldRows(column).get(binaryText(key));
    if (held !== undefined) return held.value;
    const { forwards } = this.#columnCursors(column);
    forwards.seek(key);
    const [entry] = forwards.next(1);
    return entry !== undefined && Buffer.compare(entry.key, key) === 0 ? entry.value : undefined;
  }

  getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return keys.map((key) => this.get(column, key));
  }

  range(column: Column, { lower, upper, reverse = false, limit }: KeyRange): KeyValueEntry[] {
    const entries: KeyValueEntry[] = [];
    const whole = { lower, upper, reverse, limit };
    for (const { key, value } of merged(this.#stored(column, whole), this.#changed(column, whole), reverse)) {
      if (value === undefined) continue;
      entries.push({ key, value });
      if (entries.length >= limit) break;
    }
    return entries;
  }

  version(): number {
    return this.#version;
  }

  /** Stays in memory, and is seen by this store alone. */
  write(batch: WriteBatch): void {
    for (const { column, key, value } of allChanges(batch)) this.#heldRows(column).set(binaryText(key), { value });
    this.#version++;
  }

  prepare(): PreparedList {
    return new PreparedList();
  }

  /** Nothing needs it. */
  tidy(): void {}

  close(): void {
    for (const { forwards, backwards } of this.#cursors.values()) {
      forwards.close();
      backwards.close();
    }
  }

  *#stored(column: Column, { lower, upper, reverse, limit }: WholeRange): Generator<KeyValueEntry> {
    const { forwards, backwards } = this.#columnCursors(column);
    const cursor = reverse ? backwards : forwards;
    cursor.seek(reverse ? upper : lower);
    for (let count = limit <= LARGEST_PAGE ? limit : FIRST_PAGE; ; count = Math.min(2 * count, LARGEST_PAGE)) {
      const page = cursor.next(count);
      for (const entry of page) {
        const isBeyond = reverse ? Buffer.compare(entry.key, lower) < 0 : Buffer.compare(entry.key, upper) >= 0;
        if (isBeyond) return;
        // Backwards the search ends at the upper bound itself, which is none of the range.
        if (!reverse || Buffer.compare(entry.key, upper) < 0) yield entry;
      }
      if (page.length < count) return;
    }
  }

  *#changed(column: Column, { lower, upper, reverse }: WholeRange): Generator<ChangedEntry> {
    const held = this.#heldRows(column);
    for (let [from, to] = [binaryText(lower), binaryText(upper)]; ;) {
      const page = held.slice(from, to, reverse, LARGEST_PAGE);
      for (const { key, value } of page) yield { key: binaryTextBytes(key), value: value.value };
      const last = page[LARGEST_PAGE - 1];
      if (last === undefined) return;
      if (reverse) to = last.key;
      else from = `${last.key}\0`;
    }
  }

  #columnCursors(column: Column): Cursors {
    return present(this.#cursors.get(column), `cursors of column ${column}`);
  }

  #heldRows(column: Column): SortedMap<Held> {
    return present(this.#held.get(column), `changes of column ${column}`);
  }
}

/** Both in one order; a change takes the place of what is stored under its key. */
function* merged(
  stored: Generator<KeyValueEntry>,
  changed: Generator<ChangedEntry>,
  reverse: boolean,
): Generator<ChangedEntry> {
  const direction = reverse ? -1 : 1;
  let [entry, change] = [stored.next(), changed.next()];
  while (entry.done !== true || change.done !== true) {
    const order =
      entry.done === true
        ? 1
        : change.done === true
          ? -1
          : direction * Buffer.compare(entry.value.key, change.value.key);
    if (order >= 0 && change.done !== true) yield change.value;
    else if (entry.done !== true) yield entry.value;
    if (order <= 0) entry = stored.next();
    if (order >= 0) change = changed.next();
  }
}
