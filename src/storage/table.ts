import { assert } from '../base/assert.ts';
import type { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { Codec } from '../codec/codec.ts';
import type { KeyPart, KeyParts } from '../codec/key.ts';
import type { Column } from './key_value.ts';
import { compileRowKey, type KeyPrefix, type MapKey, type RowKey } from './row_key.ts';

/** The common part of tables and indexes for iteration: a column, and keys with a common prefix. */
export interface Walkable<Prefix> {
  readonly column: Column;
  /**
   * Writes the bytes that all keys with this prefix begin with; without a prefix, those of all keys of the table or
   * index.
   */
  writePrefix(out: ByteWriter, prefix?: Prefix): void;
}

/** Rows of one type, by their keys. A row is never changed in place: a changed row is a new object. */
export interface Table<Key, Row> extends Walkable<KeyPrefix<Key>> {
  readonly name: string;
  /** The permanent number, assigned by `register`. */
  readonly number: number;
  /** True when its rows are part of the state hash. */
  readonly hashed: boolean;
  /** The chain itself only appends rows and never reads them. */
  readonly writeOnly: boolean;
  readonly value: Codec<Row>;
  readonly indexes: readonly Index<readonly unknown[], Row>[];
  keyOf(row: Row): Key;
  /** The key as a `Map` key. */
  mapKey(key: Key): MapKey;
  /** Writes the key as stored on disk: the table's number, then the key's parts. */
  writeKey(out: ByteWriter, key: Key): void;
  /** Writes only the key's parts. */
  writeKeyParts(out: ByteWriter, key: Key): void;
  readKeyParts(input: ByteReader): Key;
  /** Only for `register`. */
  assignNumber(number: number): void;
}

/** A table whose types only it knows, for lists of tables. */
export type SomeTable = Table<unknown, unknown>;

/** A tuple or any prefix of it. */
export type TuplePrefix<T extends readonly unknown[]> =
  | T
  | (T extends readonly [...infer Head, unknown] ? TuplePrefix<Head> : never);

/** A secondary index of a table. The writer can iterate over a `Writable` one within a block; readers over all. */
export interface Index<T extends readonly unknown[], Row, Writable extends boolean = boolean> extends Walkable<
  TuplePrefix<T>
> {
  readonly name: string;
  /** Its position among the indexes of the table. */
  readonly number: number;
  readonly table: Table<unknown, Row>;
  readonly writable: Writable;
  /** The tuple alone identifies a row, so the key is not appended. */
  readonly unique: boolean;
  /** The row's tuple; `undefined` if the row is not in this index. */
  of(row: Row): T | undefined;
}

/** The declaration of an index in its table's file. */
export interface IndexDeclaration<Row, T extends readonly unknown[]> {
  readonly parts: KeyParts<T>;
  readonly of: (row: Row) => T | undefined;
  /** The chain itself reads this index, so it is updated with every change instead of every block. */
  readonly writable?: boolean;
  /** The chain guarantees that no two rows have the same tuple. */
  readonly unique?: boolean;
}

type Tuples = Readonly<Record<string, readonly unknown[]>>;

/** The declaration of a table in its file. Indexes are numbered by position, so a new one is added at the end. */
export interface TableDeclaration<
  Row,
  M extends keyof Row,
  T extends Tuples,
  L extends Readonly<Record<string, unknown>>,
> {
  readonly name: string;
  readonly value: Codec<Row>;
  /** The members that form the key, in order; none for a single-row table. */
  readonly key: { readonly [K in M]: KeyPart<Row[K]> };
  readonly indexes?: { readonly [N in keyof T]: IndexDeclaration<Row, T[N]> } & {
    readonly [N in keyof L]: { readonly writable?: L[N] };
  };
  /** The column of the rows; `'state'` by default. */
  readonly column?: Exclude<Column, 'order'>;
  /** True when the rows are part of the state hash; by default those of column `'state'` are. */
  readonly hashed?: boolean;
  /** The chain itself only appends rows and never reads them, which makes them cheaper. */
  readonly writeOnly?: boolean;
}

/** The indexes of a table by their names. */
export type IndexesOf<Row, T extends Tuples, L> = {
  readonly [N in keyof T]: Index<T[N], Row, L[N & keyof L] extends true ? true : false>;
};

/** Declares a table. Its indexes are members of the result: `accounts.by_proxy`. */
export function table<
  Row,
  M extends keyof Row & string = never,
  const T extends Tuples = {},
  const L extends Readonly<Record<string, unknown>> = {},
>(declaration: TableDeclaration<Row, M, T, L>): Table<RowKey<Row, M>, Row> & IndexesOf<Row, T, L>;
export function table<Row>(
  declaration: TableDeclaration<Row, keyof Row, Tuples, Readonly<Record<string, unknown>>>,
): Table<unknown, Row> {
  const key = compileRowKey<unknown, Row>(declaration.key);
  const column = declaration.column ?? 'state';
  let number = UNREGISTERED;
  const isRegistered = `table ${declaration.name} is registered`;
  const indexes: Index<readonly unknown[], Row>[] = [];
  // A plain property, because it is read for every row.
  const declared: Omit<Table<unknown, Row>, 'number'> & { number: number } = {
    name: declaration.name,
    number,
    column,
    hashed: declaration.hashed ?? column === 'state',
    writeOnly: declaration.writeOnly ?? false,
    value: declaration.value,
    indexes,
    keyOf: key.keyOf,
    mapKey: key.mapKey,
    writeKey(out, value) {
      assert(number !== UNREGISTERED, isRegistered);
      out.u8(number);
      key.write(out, value);
    },
    writeKeyParts: key.write,
    readKeyParts: key.read,
    writePrefix(out, prefix) {
      assert(number !== UNREGISTERED, isRegistered);
      out.u8(number);
      key.writePrefix(out, prefix);
    },
    assignNumber(given) {
      assert(number === UNREGISTERED || number === given, `table ${declaration.name} has one number`);
      number = given;
      declared.number = given;
    },
  };
  for (const [name, index] of Object.entries(declaration.indexes ?? {}))
    indexes.push(declaredIndex(declared, name, indexes.length, index));
  return Object.assign(declared, Object.fromEntries(indexes.map((index) => [index.name, index])));
}

const UNREGISTERED = -1;

function declaredIndex<Row, T extends readonly unknown[]>(
  owner: Table<unknown, Row>,
  name: string,
  number: number,
  declaration: IndexDeclaration<Row, T>,
): Index<readonly unknown[], Row> {
  const parts: readonly KeyPart<unknown>[] = declaration.parts;
  const isRegistered = `the table of index ${name} is registered`;
  return {
    name,
    number,
    table: owner,
    column: 'order',
    writable: declaration.writable ?? false,
    unique: declaration.unique ?? false,
    of: declaration.of,
    writePrefix(out, prefix = []) {
      assert(owner.number !== UNREGISTERED, isRegistered);
      out.u8(owner.number);
      out.u8(number);
      for (let index = 0; index < prefix.length; index++) parts[index]?.write(out, prefix[index]);
    },
  };
}
