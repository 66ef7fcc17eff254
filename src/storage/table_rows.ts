import { present } from '../base/assert.ts';
import type { KeyValueReader } from './key_value.ts';
import { WritableIndex } from './writable_index.ts';
import { decodeRow, encodeKey } from './row_bytes.ts';
import type { MapKey } from './row_key.ts';
import type { SomeTable, Table } from './table.ts';

/** A key of a table in memory, with its row now and its row on the disk. */
export class Entry<Key, Row> {
  readonly rows: TableRows<Key, Row>;
  readonly key: Key;
  /** The row now; `undefined` when there is none. */
  row: Row | undefined;
  /** The row on the disk. */
  committed: Row | undefined;
  /** The row at the start of the transaction numbered `touchedIn`. */
  before: Row | undefined = undefined;
  touchedIn = 0;
  /** Put or removed in the open block, so that it must stay in memory. */
  dirty = false;
  /** Asked for since the cache's hand came by. */
  recent = true;
  /** The digest of the committed row, once it was computed. */
  digest: string | undefined = undefined;
  /** The digest of the row after the sealed block. */
  sealedDigest: string | undefined = undefined;

  constructor(rows: TableRows<Key, Row>, key: Key, row: Row | undefined) {
    this.rows = rows;
    this.key = key;
    this.row = row;
    this.committed = row;
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
    // The writable indexes have been discarded as a whole.
    this.row = this.committed;
    this.reset();
  }

  /** Forgets what a block needed to know. */
  reset(): void {
    this.sealedDigest = undefined;
    this.before = undefined;
    this.dirty = false;
  }
}

/** An entry of some table. */
export type SomeEntry = Entry<unknown, unknown>;

/** The rows of one table that are in memory, and its writable indexes. */
export class TableRows<Key, Row> {
  readonly table: Table<Key, Row>;
  /** By the number of the index; `undefined` where an index isn't live. */
  readonly writable: readonly (WritableIndex<Key, Row> | undefined)[];
  readonly #committed: KeyValueReader;
  readonly #entries = new Map<MapKey, Entry<Key, Row>>();
  /** The entry of a table of a single row, which is asked for many times in a transaction. */
  #only: Entry<Key, Row> | undefined;
  /** The entry that was found last: an operation asks for the same row several times in a row. */
  #last: Entry<Key, Row> | undefined;

  constructor(table: Table<Key, Row>, committed: KeyValueReader) {
    this.table = table;
    this.#committed = committed;
    const indexes = table.indexes.map((index) => (index.writable ? new WritableIndex(index, table, committed) : undefined));
    this.writable = indexes.some((index) => index !== undefined) ? indexes : [];
  }

  /** These are the rows of that table: what its types say holds for them. */
  areOf<K, R>(table: Table<K, R>): this is TableRows<K, R> {
    const mine: SomeTable = this.table;
    return mine === table;
  }

  /** Those of these entries that are of this table. */
  entriesOf(entries: readonly SomeEntry[]): Entry<Key, Row>[] {
    const isMine = (entry: SomeEntry): entry is Entry<Key, Row> & SomeEntry => entry.rows.areOf(this.table);
    return entries.filter(isMine);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The entry of a table of a single row, if it is in memory. */
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

  forgetAll(): void {
    this.#entries.clear();
    this.#only = undefined;
    this.#last = undefined;
  }

  /** Reads the row from the disk. */
  load(key: Key): Entry<Key, Row> {
    return this.#remember(key, this.#committed.get(this.table.column, encodeKey(this.table, key)));
  }

  /** Reads those rows that are not in memory, in one call. */
  loadMany(keys: readonly Key[]): Entry<Key, Row>[] {
    const wanted = keys.filter((key) => this.find(key) === undefined);
    return wanted.length === 0 ? [] : this.#readMany(wanted);
  }

  /** The entries of all keys, in their order, and those of them that had to be read. A key is made a text only once. */
  findMany(keys: readonly Key[]): { readonly entries: Entry<Key, Row>[]; readonly loaded: Entry<Key, Row>[] } {
    const mapKeys = keys.map((key) => this.table.mapKey(key));
    const wanted = keys.filter((_, index) => !this.#entries.has(mapKeys[index] ?? 0));
    const loaded = wanted.length === 0 ? [] : this.#readMany(wanted);
    const entries = mapKeys.map((mapKey) => present(this.#entries.get(mapKey), 'a row in memory'));
    return { entries, loaded };
  }

  #readMany(keys: readonly Key[]): Entry<Key, Row>[] {
    const encoded = keys.map((key) => encodeKey(this.table, key));
    const values = this.#committed.getMany(this.table.column, encoded);
    // A key that comes twice is remembered the first time.
    return keys.flatMap((key, index) => (this.find(key) === undefined ? [this.#remember(key, values[index])] : []));
  }

  /** An entry for a row that isn't on the disk. Rows that the chain never asks for again aren't remembered. */
  fresh(key: Key): Entry<Key, Row> {
    return this.table.writeOnly ? new Entry<Key, Row>(this, key, undefined) : this.#remember(key, undefined);
  }

  #remember(key: Key, value: Uint8Array | undefined): Entry<Key, Row> {
    const entry = new Entry(this, key, value === undefined ? undefined : decodeRow(this.table, value));
    this.#entries.set(this.table.mapKey(key), entry);
    if (key === null) this.#only = entry;
    return entry;
  }
}
