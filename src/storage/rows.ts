import type { Index, Table, TuplePrefix } from './table.ts';
import type { KeyPrefix } from './row_key.ts';

/**
 * A stretch of a walk. `from` and `to` are inclusive and may be prefixes: `to: ['alice']` includes everything that begins
 * with alice. `after` resumes: the walk begins behind everything with that prefix, in its direction. `reverse` walks down from
 * `to`. `limit` is how many rows the asker can use; it is required so that nobody walks a table by accident.
 */
export interface Bounds<Prefix> {
  readonly from?: Prefix;
  readonly to?: Prefix;
  readonly after?: Prefix;
  readonly reverse?: boolean;
  readonly limit: number;
}

/** Tables with keys of one kind, a table for each kind of row. */
export type TablesOf<Key, Rows> = { readonly [K in keyof Rows]: Table<Key, Rows[K]> };
/** For each table its rows in the order of the keys, undefined where there is none. */
export type JoinedRows<Rows> = { readonly [K in keyof Rows]: readonly (Rows[K] | undefined)[] };

/** Reads rows, committed or pending: what state-reading code asks for. */
export interface RowReader {
  get<Key, Row>(table: Table<Key, Row>, key: Key): Row | undefined;
  /** The row of a table of a single row; a failed assertion when it isn't there yet. */
  only<Row>(table: Table<null, Row>): Row;
}

/** Reads rows of the last committed block, and walks every table and index. */
export interface CommittedRows extends RowReader {
  getMany<Key, Row>(table: Table<Key, Row>, keys: readonly Key[]): (Row | undefined)[];
  /** Rows of several tables at the same keys, a list for each table: one look-up for all of them, so the tables lie in one column. */
  getJoined<Key, Rows extends readonly unknown[] | []>(tables: TablesOf<Key, Rows>, keys: readonly Key[]): JoinedRows<Rows>;
  /** Rows in the order of their keys. */
  rows<Key, Row>(table: Table<Key, Row>, bounds: Bounds<KeyPrefix<Key>>): Row[];
  /** Rows in a secondary index; equal tuples in the order of their keys. */
  range<T extends readonly unknown[], Row>(index: Index<T, Row>, bounds: Bounds<TuplePrefix<T>>): Row[];
}

/** The state as the chain changes it: all reads and walks see what was changed before. */
export interface MutableRows extends RowReader {
  /** Inserts the row or replaces the one with the same key. */
  put<Key, Row>(table: Table<Key, Row>, row: Row): void;
  /** Inserts the row; `false` and nothing done when its key is taken. */
  insert<Key, Row>(table: Table<Key, Row>, row: Row): boolean;
  /** Inserts a row whose key is known to be new (it holds a fresh id or the block's number), without looking. */
  append<Key, Row>(table: Table<Key, Row>, row: Row): void;
  /** Inserts or replaces the rows at these keys, which all differ; `change` gets the row there is. Reads from the disk in one call. */
  changeEach<Key, Row>(table: Table<Key, Row>, keys: readonly Key[], change: (row: Row | undefined, key: Key, index: number) => Row): void;
  /** Removes the row; `false` when there was none. */
  remove<Key, Row>(table: Table<Key, Row>, key: Key): boolean;
  /** The next id of the table, from 0; the first of `count` in a row. */
  nextId<Key, Row>(table: Table<Key, Row>, count?: number): bigint;
  /** The first row of the index. */
  first<T extends readonly unknown[], Row>(index: Index<T, Row, true>): Row | undefined;
  /** The first row behind everything that begins with `tuple`. */
  next<T extends readonly unknown[], Row>(index: Index<T, Row, true>, tuple: TuplePrefix<T>): Row | undefined;
  range<T extends readonly unknown[], Row>(index: Index<T, Row, true>, bounds: Bounds<TuplePrefix<T>>): Row[];
  /** The keys of the same rows of the index's table, which are not read for it. */
  keys<Key, T extends readonly unknown[], Row>(table: Table<Key, Row>, index: Index<T, Row, true>, bounds: Bounds<TuplePrefix<T>>): Key[];
}
