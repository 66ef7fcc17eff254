import { assert, present } from '../base/assert.ts';
import { DecodedRows } from './decoded_rows.ts';
import type { KeyValueEntry, KeyValueReader } from './key_value.ts';
import { keyRange } from './index_key.ts';
import { decodeRow, encodeKey, keyOnDisk } from './row_bytes.ts';
import type { KeyPrefix, MapKey } from './row_key.ts';
import type { Bounds, CommittedRows, JoinedRows, Place, PlacesOf, RowsAt, TablesOf } from './rows.ts';
import type { Index, SomeTable, Table, TuplePrefix, Walkable } from './table.ts';

/**
 * Maximum number of attempts at a read during which blocks are committed. Blocks are seconds apart and reads take
 * microseconds, so a second attempt is rare; only a node that is catching up commits faster than a long read takes.
 */
const MOST_ATTEMPTS = 8;

const OVERTAKEN = Symbol('overtaken');

/**
 * The committed state as all threads but the writer see it. There is no lock and no waiting: a read overtaken by a
 * commit is repeated. Decoded rows that are read one by one are cached until the next block.
 */
export class View implements CommittedRows {
  readonly #reader: KeyValueReader;
  readonly #cache: DecodedRows;
  #reading = false;

  /** `cachedRows` is the number of decoded rows to cache. */
  constructor(reader: KeyValueReader, cachedRows: number) {
    this.#reader = reader;
    this.#cache = new DecodedRows(cachedRows);
  }

  /** Grows with every commit: responses can be reused as long as the version is the same. */
  version(): number {
    return this.#reader.version();
  }

  /**
   * Everything that `read` reads belongs to one block. `read` may run several times, so it must not have side effects.
   * If blocks are committed during eight attempts in a row, the last result is used: its rows were all committed, but
   * by neighbouring blocks.
   */
  consistentRead<T>(read: () => T): T {
    if (this.#reading) return read();
    this.#reading = true;
    try {
      for (let attempt = 1; attempt < MOST_ATTEMPTS; attempt++) {
        const outcome = this.#attempt(read);
        if (outcome !== OVERTAKEN) return outcome;
      }
      this.#cache.clear();
      return read();
    } finally {
      this.#reading = false;
    }
  }

  get<Key, Row>(table: Table<Key, Row>, key: Key): Row | undefined {
    return this.consistentRead(() => this.#getRow(table, key));
  }

  only<Row>(table: Table<null, Row>): Row {
    return present(this.get(table, null), table.name);
  }

  getMany<Key, Row>(table: Table<Key, Row>, keys: readonly Key[]): (Row | undefined)[] {
    return this.consistentRead(() => this.#rowsAt(table, keys));
  }

  getManyCached<Key, Row>(table: Table<Key, Row>, keys: readonly Key[]): (Row | undefined)[] {
    return this.consistentRead(() => this.#cachedRows(table, keys));
  }

  getJoined<Key, Rows extends readonly unknown[] | []>(
    tables: TablesOf<Key, Rows>,
    keys: readonly Key[],
  ): JoinedRows<Rows>;
  getJoined(tables: never, keys: never): unknown {
    return this.consistentRead(() => this.#joined(tables, keys));
  }

  getPlaces<Rows extends readonly unknown[] | []>(places: PlacesOf<Rows>): RowsAt<Rows>;
  getPlaces(places: never): unknown {
    return this.consistentRead(() => this.#rowsAtPlaces(places));
  }

  rows<Key, Row>(table: Table<Key, Row>, bounds: Bounds<KeyPrefix<Key>>): Row[] {
    return this.consistentRead(() => this.#walk(table, bounds).map(({ value }) => decodeRow(table, value)));
  }

  range<T extends readonly unknown[], Row>(index: Index<T, Row>, bounds: Bounds<TuplePrefix<T>>): Row[] {
    return this.consistentRead(() => {
      const keys = this.#walk(index, bounds).map(({ value }) => keyOnDisk(index.table, value));
      if (keys.length === 0) return [];
      // During a commit, an entry's row may already be gone; the read is then repeated.
      return this.#reader
        .getMany(index.table.column, keys)
        .flatMap((value) => (value === undefined ? [] : [decodeRow(index.table, value)]));
    });
  }

  /** An error counts only if no commit has overtaken the read, because data of two blocks may be inconsistent. */
  #attempt<T>(read: () => T): T | typeof OVERTAKEN {
    const version = this.#reader.version();
    this.#cache.resetVersion(version);
    try {
      const result = read();
      if (this.#reader.version() === version) return result;
    } catch (error) {
      if (this.#reader.version() === version) throw error;
    }
    return OVERTAKEN;
  }

  #walk<Prefix>(walked: Walkable<Prefix>, bounds: Bounds<Prefix>): KeyValueEntry[] {
    const { lower, upper } = keyRange(walked, bounds);
    if (Buffer.compare(lower, upper) >= 0) return [];
    return this.#reader.range(walked.column, { lower, upper, reverse: bounds.reverse ?? false, limit: bounds.limit });
  }

  #getRow<Key, Row>(table: Table<Key, Row>, key: Key): Row | undefined {
    // Parts of blocks are large and rarely read again: frequent requests are served from a response cache.
    if (table.column === 'block') return this.#read(table, key);
    const cached = this.#cache.of(table);
    const mapKey = table.mapKey(key);
    const known = cached.get(mapKey);
    if (known !== undefined || cached.has(mapKey)) return known;
    const row = this.#read(table, key);
    this.#cache.add(table, mapKey, row);
    return row;
  }

  #read<Key, Row>(table: Table<Key, Row>, key: Key): Row | undefined {
    return this.#decode(table, this.#reader.get(table.column, encodeKey(table, key)));
  }

  /** Not cached: many rows at once are rarely read again within a block, and caching costs as much as reading. */
  #rowsAt<Key, Row>(table: Table<Key, Row>, keys: readonly Key[]): (Row | undefined)[] {
    if (keys.length === 0) return [];
    const encoded = keys.map((key) => encodeKey(table, key));
    return this.#reader.getMany(table.column, encoded).map((value) => this.#decode(table, value));
  }

  #cachedRows<Key, Row>(table: Table<Key, Row>, keys: readonly Key[]): (Row | undefined)[] {
    const cached = this.#cache.of(table);
    const rows: (Row | undefined)[] = [];
    const missing: { readonly at: number; readonly key: Key; readonly mapKey: MapKey }[] = [];
    for (const [at, key] of keys.entries()) {
      const mapKey = table.mapKey(key);
      rows[at] = cached.get(mapKey);
      if (rows[at] === undefined && !cached.has(mapKey)) missing.push({ at, key, mapKey });
    }
    const read = this.#rowsAt(
      table,
      missing.map(({ key }) => key),
    );
    for (const [index, { at, mapKey }] of missing.entries()) {
      rows[at] = read[index];
      this.#cache.add(table, mapKey, read[index]);
    }
    return rows;
  }

  #joined(tables: readonly SomeTable[], keys: readonly unknown[]): unknown[][] {
    const [first] = tables;
    assert(
      first !== undefined && tables.every(({ column }) => column === first.column),
      'joined tables lie in one column',
    );
    if (keys.length === 0) return tables.map(() => []);
    const encoded = tables.flatMap((table) => keys.map((key) => encodeKey(table, key)));
    const values = this.#reader.getMany(first.column, encoded);
    return tables.map((table, place) =>
      keys.map((_, index) => this.#decode(table, values[place * keys.length + index])),
    );
  }

  #rowsAtPlaces(places: readonly Place<unknown>[]): unknown[] {
    const [first] = places;
    if (first === undefined) return [];
    const { column } = first.table;
    const values = this.#reader.getMany(
      column,
      places.map(({ table, key }) => {
        assert(table.column === column, 'rows that are looked up together lie in one column');
        return key;
      }),
    );
    return places.map(({ table }, index) => this.#decode(table, values[index]));
  }

  #decode<Row>(table: Pick<Table<never, Row>, 'name' | 'value'>, value: Uint8Array | undefined): Row | undefined {
    return value === undefined ? undefined : decodeRow(table, value);
  }
}
