import type { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { KeyPart } from '../codec/key.ts';

/** Types that a `Map` compares by value. */
export type MapKey = string | number | bigint | boolean;

/** The key of a row: the one member itself, an object of several members, or `null` for a table of a single row. */
export type RowKey<Row, M extends keyof Row> = [M] extends [never]
  ? null
  : IsUnion<M> extends true
    ? Pick<Row, M>
    : Row[M];

/** The leading members of a compound key, or a whole simple key. */
export type KeyPrefix<Key> = Key extends object ? Partial<Key> : Key;

type IsUnion<T, All = T> = T extends All ? ([All] extends [T] ? false : true) : never;

/** All operations on a table's key, compiled to straight-line code when the table is declared. */
export interface RowKeyFunctions<Key, Row> {
  keyOf(row: Row): Key;
  mapKey(key: Key): MapKey;
  write(out: ByteWriter, key: Key): void;
  read(input: ByteReader): Key;
  writePrefix(out: ByteWriter, prefix: KeyPrefix<Key> | undefined): void;
}

/** The functions of a key made of these members, in this order. */
export function compileRowKey<Key, Row>(
  members: Readonly<Record<string, KeyPart<unknown>>>,
): RowKeyFunctions<Key, Row> {
  const names = Object.keys(members);
  const parts = names.map((_, index) => `p${index}`);
  const source = names.length === 1 ? simpleKey(names[0] ?? '') : compoundKey(names);
  return new Function('textOf', ...parts, `return { ${source} };`)(keyMemberText, ...Object.values(members));
}

function simpleKey(name: string): string {
  return `
    keyOf: (row) => row.${name},
    mapKey: (key) => key,
    write(out, key) { p0.write(out, key); },
    read: (input) => p0.read(input),
    writePrefix(out, prefix) { if (prefix !== undefined) p0.write(out, prefix); },`;
}

/** Also handles a key without members, which is `null`. */
function compoundKey(names: readonly string[]): string {
  const empty = names.length === 0;
  const each = (code: (name: string, part: string) => string, separator = ' '): string =>
    names.map((name, index) => code(name, `p${index}`)).join(separator);
  return `
    keyOf: (row) => ${empty ? 'null' : `({ ${each((name) => `${name}: row.${name}`, ', ')} })`},
    mapKey: (key) => ${empty ? '0' : each((name) => `textOf(key.${name})`, ' + ')},
    write(out, key) { ${each((name, part) => `${part}.write(out, key.${name});`)} },
    read: (input) => ${empty ? 'null' : `({ ${each((name, part) => `${name}: ${part}.read(input)`, ', ')} })`},
    writePrefix(out, prefix) {
      if (prefix === undefined || prefix === null) return;
      ${each((name, part) => `if (prefix.${name} === undefined) return; ${part}.write(out, prefix.${name});`)}
    },`;
}

/** A member as self-delimiting text, so that joined texts differ whenever the members do. */
function keyMemberText(member: unknown): string {
  return typeof member === 'string' ? `${member.length}:${member}` : `${String(member)},`;
}
