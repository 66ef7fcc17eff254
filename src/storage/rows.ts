import { encodeKey } from './row_bytes.ts';
import type { KeyPrefix } from './row_key.ts';
import type { Index, Table, TuplePrefix } from './table.ts';

/**
 * The bounds of an iteration. `from` and `to` are inclusive and may be prefixes: `to: ['alice']` includes everything
 * that begins with alice. `after` resumes: iteration starts after everything with that prefix, in its direction.
 * `reverse` iterates down from `to`. `limit` is the maximum number of rows; it is required, so that a whole table is
 * never iterated by accident.
 */
export interface Bounds<Prefix> {
  readonly from?: Prefix;
  readonly to?: Prefix;
  readonly after?: Prefix;
  readonly reverse?: boolean;
  readonly limit: number;
}

/** Tables with the same type of key, one for each type of row. */
export type TablesOf<Key, Rows> = { readonly [K in keyof Rows]: Table<Key, Rows[K]> };
/** For each table, its rows in the order of the keys; undefined where there is none. */
export type JoinedRows<Rows> = { readonly [K in keyof Rows]: readonly (Rows[K] | undefined)[] };

/** The place of a row in a table. */
export interface Place<Row> {
  readonly table: Pick<Table<never, Row>, 'name' | 'column' | 'value'>;
  readonly key: Uint8Array;
}
/** A place for each type of row. */
export type PlacesOf<Rows> = { readonly [K in keyof Rows]: Place<Rows[K]> };
/** The row at each place; undefined where there is none. */
export type RowsAt<Rows> = { readonly [K in keyof Rows]: Rows[K] | undefined };

/** The place of a row in its table. */
export function rowPlace<Key, Row>(table: Table<Key, Row>, key: Key): Place<Row> {
  return { table, key: encodeKey(table, key) };
}

/** Reads rows, committed or pending: the parameter of code that reads the state. */
export interface RowReader {
  get<Key, Row>(table: Table<Key, Row>, key: Key): Row | undefined;
  /** The row of a single-row table; fails an assertion if it does not exist yet. */
  only<Row>(table: Table<null, Row>): Row;
}

/** Reads rows as of the last committed block, and iterates over tables and indexes. */
export interface CommittedRows extends RowReader {
  getMany<Key, Row>(table: Table<Key, Row>, keys: readonly Key[]): (Row | undefined)[];
  /** The same for keys whose rows are probably read again before the next block: they stay decoded until then. */
  getManyCached<Key, Row>(table: Table<Key, Row>, keys: readonly Key[]): (Row | undefined)[];
  /**
   * Rows of several tables at the same keys, a list per table; one look-up for all, so the tables must be in the same
   * column.
   */
  getJoined<Key, Rows extends readonly unknown[] | []>(
    tables: TablesOf<Key, Rows>,
    keys: readonly Key[],
  ): JoinedRows<Rows>;
  /** The rows at places of several tables; one look-up for all, so the tables must be in the same column. */
  getPlaces<Rows extends readonly unknown[] | []>(places: PlacesOf<Rows>): RowsAt<Rows>;
  /** Rows in the order of their keys. */
  rows<Key, Row>(table: Table<Key, Row>, bounds: Bounds<KeyPrefix<Key>>): Row[];
  /** Rows in the order of a secondary index; rows with equal tuples in the order of their keys. */
  range<T extends readonly unknown[], Row>(index: Index<T, Row>, bounds: Bounds<TuplePrefix<T>>): Row[];
}

/** The state as the chain changes it: all reads see the changes made before. */
export interface MutableRows extends RowReader {
  /** Inserts the row or replaces the one with the same key. */
  put<Key, Row>(table: Table<Key, Row>, row: Row): void;
  /** Inserts the row; returns `false` and does nothing if its key exists. */
  insert<Key, Row>(table: Table<Key, Row>, row: Row): boolean;
  /** Inserts a row without checking its key, which must be new (it contains a fresh id or the block's number). */
  append<Key, Row>(table: Table<Key, Row>, row: Row): void;
  /**
   * Inserts or replaces the rows at these distinct keys; `change` gets the current row. Reads from disk in one call.
   */
  changeEach<Key, Row>(
    table: Table<Key, Row>,
    keys: readonly Key[],
    change: (row: Row | undefined, key: Key, index: number) => Row,
  ): void;
  /** Removes the row; `false` if there was none. */
  remove<Key, Row>(table: Table<Key, Row>, key: Key): boolean;
  /** Allocates `count` consecutive ids of the table, starting at 0, and returns the first. */
  nextId<Key, Row>(table: Table<Key, Row>, count?: number): bigint;
  /** The first row of the index. */
  first<T extends readonly unknown[], Row>(index: Index<T, Row, true>): Row | undefined;
  /** The first row after everything that begins with `tuple`. */
  next<T extends readonly unknown[], Row>(index: Index<T, Row, true>, tuple: TuplePrefix<T>): Row | undefined;
  range<T extends readonly unknown[], Row>(index: Index<T, Row, true>, bounds: Bounds<TuplePrefix<T>>): Row[];
  /** The keys of the rows that `range` would return, without reading the rows. */
  keys<Key, T extends readonly unknown[], Row>(
    table: Table<Key, Row>,
    index: Index<T, Row, true>,
    bounds: Bounds<TuplePrefix<T>>,
  ): Key[];
}
