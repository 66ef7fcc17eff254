import { assert } from '../base/assert.ts';
import type { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { Codec } from '../codec/codec.ts';
import type { KeyPart, KeyParts } from '../codec/key.ts';
import type { Column } from './key_value.ts';
import { compileRowKey, type KeyPrefix, type MapKey, type RowKey } from './row_key.ts';

/** What a table and an index have in common when they are walked: a column, and keys with a common beginning. */
export interface Walkable<Prefix> {
  readonly column: Column;
  /** Writes what all keys with this prefix begin with; without a prefix, what all keys of the table or index do. */
  writePrefix(out: ByteWriter, prefix?: Prefix): void;
}

/** Rows of one kind, each at its key. A row is never changed in place: a changed row is another object. */
export interface Table<Key, Row> extends Walkable<KeyPrefix<Key>> {
  readonly name: string;
  /** The permanent number, which `register` gives. */
  readonly number: number;
  /** Counts in the state hash. */
  readonly hashed: boolean;
  /** The chain itself only appends rows and never asks for one. */
  readonly writeOnly: boolean;
  readonly value: Codec<Row>;
  readonly indexes: readonly Index<readonly unknown[], Row>[];
  keyOf(row: Row): Key;
  /** The key as something that a `Map` finds. */
  mapKey(key: Key): MapKey;
  /** Writes the key as it is on the disk: the table's number, then the parts. */
  writeKey(out: ByteWriter, key: Key): void;
  /** Writes the parts alone. */
  writeKeyParts(out: ByteWriter, key: Key): void;
  readKeyParts(input: ByteReader): Key;
  /** For `register` alone. */
  assignNumber(number: number): void;
}

/** A table among others, whose types only itself knows. */
export type SomeTable = Table<unknown, unknown>;

/** A tuple, or everything that it can begin with. */
export type TuplePrefix<T extends readonly unknown[]> = T | (T extends readonly [...infer Head, unknown] ? TuplePrefix<Head> : never);

/** Another way through a table. The writer can walk a `Writable` one inside a block; readers can walk all. */
export interface Index<T extends readonly unknown[], Row, Writable extends boolean = boolean> extends Walkable<TuplePrefix<T>> {
  readonly name: string;
  /** Its place among the indexes of the table. */
  readonly number: number;
  readonly table: Table<unknown, Row>;
  readonly writable: Writable;
  /** The tuple alone tells rows apart, so the key isn't appended. */
  readonly unique: boolean;
  /** Where the row stands; `undefined` when it isn't in this index. */
  of(row: Row): T | undefined;
}

/** What a table's file says about one of its indexes. */
export interface IndexDeclaration<Row, T extends readonly unknown[]> {
  readonly parts: KeyParts<T>;
  readonly of: (row: Row) => T | undefined;
  /** The chain itself walks this index, so it is kept in step with every change instead of every block. */
  readonly writable?: boolean;
  /** The chain promises that no two rows have the same tuple. */
  readonly unique?: boolean;
}

type Tuples = Readonly<Record<string, readonly unknown[]>>;

/** What a table's file says. Orders are numbered by their place, so a new one is added at the end. */
export interface TableDeclaration<Row, M extends keyof Row, T extends Tuples, L extends Readonly<Record<string, unknown>>> {
  readonly name: string;
  readonly value: Codec<Row>;
  /** The members that make the key, in its order; none for a table of a single row. */
  readonly key: { readonly [K in M]: KeyPart<Row[K]> };
  readonly indexes?: { readonly [N in keyof T]: IndexDeclaration<Row, T[N]> } & { readonly [N in keyof L]: { readonly writable?: L[N] } };
  /** Where the rows lie; `'state'` unless said. */
  readonly column?: Exclude<Column, 'order'>;
  /** Counts in the state hash; unless said, the rows of column `'state'` do. */
  readonly hashed?: boolean;
  /** The chain itself only appends rows and never asks for one, so they cost it less. */
  readonly writeOnly?: boolean;
}

/** The indexes of a table under their names. */
export type IndexesOf<Row, T extends Tuples, L> = { readonly [N in keyof T]: Index<T[N], Row, L[N & keyof L] extends true ? true : false> };

/** Declares a table. Its indexes are members of the result: `accounts.by_proxy`. */
export function table<
  Row,
  M extends keyof Row & string = never,
  const T extends Tuples = {},
  const L extends Readonly<Record<string, unknown>> = {},
>(declaration: TableDeclaration<Row, M, T, L>): Table<RowKey<Row, M>, Row> & IndexesOf<Row, T, L>;
export function table<Row>(declaration: TableDeclaration<Row, keyof Row, Tuples, Readonly<Record<string, unknown>>>): Table<unknown, Row> {
  const key = compileRowKey<unknown, Row>(declaration.key);
  const column = declaration.column ?? 'state';
  let number = UNREGISTERED;
  const isRegistered = `table ${declaration.name} is registered`;
  const indexes: Index<readonly unknown[], Row>[] = [];
  // A plain member: it is looked at with every row.
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
  for (const [name, index] of Object.entries(declaration.indexes ?? {})) indexes.push(declaredIndex(declared, name, indexes.length, index));
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
