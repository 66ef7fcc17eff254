import { present } from '../base/assert.ts';
import type { KeyValueReader } from './key_value.ts';
import { WritableIndex } from './writable_index.ts';
import { decodeRow, encodeKey } from './row_bytes.ts';
import type { MapKey } from './row_key.ts';
import type { SomeTable, Table } from './table.ts';

/** A key of a table in memory, with its current row and its row on disk. */
export class Entry<Key, Row> {
  readonly rows: TableRows<Key, Row>;
  readonly key: Key;
  /** The current row; `undefined` if there is none. */
  row: Row | undefined;
  /** The row on disk. */
  committed: Row | undefined;
  /** The row at the start of the transaction numbered `touchedIn`. */
  before: Row | undefined = undefined;
  touchedIn = 0;
  /** Put or removed in the open block, so that it must stay in memory. */
  dirty = false;
  /** Used since the hand of the cache's clock last passed. */
  recent = true;
  /** The digest of the committed row, if it has been computed. */
  digest: string | undefined = undefined;
  /** The digest of the row after the sealed block. */
  sealedDigest: string | undefined = undefined;
  /** The bytes of the row on disk; 0 where there is none. */
  rowBytes: number;
  /** The same after the sealed block. */
  sealedBytes = 0;
  /** The row that the block's changes have for this key already, which was new then. */
  preparedRow: Row | undefined = undefined;

  constructor(rows: TableRows<Key, Row>, key: Key, row: Row | undefined, rowBytes: number) {
    this.rows = rows;
    this.key = key;
    this.row = row;
    this.committed = row;
    this.rowBytes = rowBytes;
  }

  change(row: Row | undefined): void {
    for (const index of this.rows.writable) index?.move(this.key, this.row, row);
    this.row = row;
  }

  commit(): void {
    this.committed = this.row;
    this.digest = this.sealedDigest;
    this.reset();
  }

  discard(): void {
    // The writable indexes are discarded as a whole.
    this.row = this.committed;
    this.reset();
  }

  /** Clears the data of a block. */
  reset(): void {
    this.sealedDigest = undefined;
    this.before = undefined;
    this.preparedRow = undefined;
    this.dirty = false;
  }
}

/** An entry of any table. */
export type SomeEntry = Entry<unknown, unknown>;

/** The rows of one table that are in memory, and its writable indexes. */
export class TableRows<Key, Row> {
  readonly table: Table<Key, Row>;
  /** By index number; `undefined` if the index is not writable. */
  readonly writable: readonly (WritableIndex<Key, Row> | undefined)[];
  readonly #committed: KeyValueReader;
  #entries = new Map<MapKey, Entry<Key, Row>>();
  /** The entry of a single-row table, which is read many times in a transaction. */
  #only: Entry<Key, Row> | undefined;
  /** The entry that was found last: an operation reads the same row several times in succession. */
  #last: Entry<Key, Row> | undefined;

  constructor(table: Table<Key, Row>, committed: KeyValueReader) {
    this.table = table;
    this.#committed = committed;
    const indexes = table.indexes.map((index) =>
      index.writable ? new WritableIndex(index, table, committed) : undefined,
    );
    this.writable = indexes.some((index) => index !== undefined) ? indexes : [];
  }

  /** True when these are the rows of that table; narrows the types accordingly. */
  isTable<K, R>(table: Table<K, R>): this is TableRows<K, R> {
    const mine: SomeTable = this.table;
    return mine === table;
  }

  /** The given entries that belong to this table. */
  entriesOf(entries: readonly SomeEntry[]): Entry<Key, Row>[] {
    const mine: Entry<Key, Row>[] = [];
    for (const entry of entries) if (this.#isMine(entry)) mine.push(entry);
    return mine;
  }

  #isMine(entry: SomeEntry): entry is Entry<Key, Row> & SomeEntry {
    return entry.rows.isTable(this.table);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The entry of a single-row table, if it is in memory. */
  get only(): Entry<Key, Row> | undefined {
    return this.#only;
  }

  /** The entry, if it is in memory. */
  find(key: Key): Entry<Key, Row> | undefined {
    const last = this.#last;
    if (last !== undefined && last.key === key) return last;
    const entry = this.#entries.get(this.table.mapKey(key));
    if (entry !== undefined) this.#last = entry;
    return entry;
  }

  forget(entry: Entry<Key, Row>): void {
    this.#entries.delete(this.table.mapKey(entry.key));
    this.#only = undefined;
    this.#last = undefined;
  }

  /** With a new map: V8 would go on copying young entries that the old one had (bench/tried.md). */
  forgetAll(): void {
    this.#entries = new Map();
    this.#only = undefined;
    this.#last = undefined;
  }

  /** Reads the row from disk. */
  load(key: Key): Entry<Key, Row> {
    return this.#remember(key, this.#committed.get(this.table.column, encodeKey(this.table, key)));
  }

  /** Reads the rows that are not in memory, in one call. */
  loadMany(keys: readonly Key[]): Entry<Key, Row>[] {
    const wanted: Key[] = [];
    for (const key of keys) if (this.find(key) === undefined) wanted.push(key);
    return wanted.length === 0 ? [] : this.#readMany(wanted);
  }

  /**
   * The entries of all keys, in order, and those that had to be read. Each key is converted to a `Map` key only once.
   */
  findMany(keys: readonly Key[]): { readonly entries: Entry<Key, Row>[]; readonly loaded: Entry<Key, Row>[] } {
    const mapKeys = keys.map((key) => this.table.mapKey(key));
    const wanted = keys.filter((_, index) => !this.#entries.has(mapKeys[index] ?? 0));
    const loaded = wanted.length === 0 ? [] : this.#readMany(wanted);
    const entries = mapKeys.map((mapKey) => present(this.#entries.get(mapKey), 'a row in memory'));
    return { entries, loaded };
  }

  #readMany(keys: readonly Key[]): Entry<Key, Row>[] {
    const encoded: Uint8Array[] = [];
    for (const key of keys) encoded.push(encodeKey(this.table, key));
    const values = this.#committed.getMany(this.table.column, encoded);
    const read: Entry<Key, Row>[] = [];
    for (const [index, key] of keys.entries()) {
      // A duplicate key is cached at its first occurrence.
      if (this.find(key) === undefined) read.push(this.#remember(key, values[index]));
    }
    return read;
  }

  /** An entry for a row that is not on disk. */
  fresh(key: Key): Entry<Key, Row> {
    return this.#remember(key, undefined);
  }

  #remember(key: Key, value: Uint8Array | undefined): Entry<Key, Row> {
    const entry = new Entry(
      this,
      key,
      value === undefined ? undefined : decodeRow(this.table, value),
      value?.length ?? 0,
    );
    this.#entries.set(this.table.mapKey(key), entry);
    if (key === null) this.#only = entry;
    return entry;
  }
}
