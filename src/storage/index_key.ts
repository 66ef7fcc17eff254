import { ByteWriter } from '../codec/bytes.ts';
import type { Bounds } from './rows.ts';
import { afterPrefix } from './key_value.ts';
import type { Index, Table, Walkable } from './table.ts';

const scratch = new ByteWriter();

/** Writes a row's key in an index: the tuple, then the row's own key unless the tuple is unique. */
export function writeIndexKey<Key, Row>(
  out: ByteWriter,
  index: Index<readonly unknown[], Row>,
  tuple: readonly unknown[],
  table: Table<Key, Row>,
  key: Key,
): void {
  index.writePrefix(out, tuple);
  if (!index.unique) table.writeKeyParts(out, key);
}

/** The same as a separate byte array. */
export function encodeIndexKey<Key, Row>(
  index: Index<readonly unknown[], Row>,
  tuple: readonly unknown[],
  table: Table<Key, Row>,
  key: Key,
): Uint8Array {
  scratch.reset();
  writeIndexKey(scratch, index, tuple, table, key);
  return Buffer.from(scratch.view());
}

/** True when a row keeps its place in an index; the members of tuples are primitive values. */
export function sameTuple(a: readonly unknown[] | undefined, b: readonly unknown[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.every((part, index) => part === b[index]);
}

/** The keys within the bounds: from `lower` (inclusive) to `upper` (exclusive). */
export function keyRange<Prefix>(
  walked: Walkable<Prefix>,
  bounds: Bounds<Prefix>,
): { readonly lower: Uint8Array; readonly upper: Uint8Array } {
  const begin = (prefix?: Prefix): Uint8Array => {
    scratch.reset();
    walked.writePrefix(scratch, prefix);
    return Buffer.from(scratch.view());
  };
  const { from, to, after, reverse = false } = bounds;
  const lower = after !== undefined && !reverse ? later(afterPrefix(begin(after)), begin(from)) : begin(from);
  const upper = after !== undefined && reverse ? earlier(begin(after), afterPrefix(begin(to))) : afterPrefix(begin(to));
  return { lower, upper };
}

function later(a: Uint8Array, b: Uint8Array): Uint8Array {
  return Buffer.compare(a, b) > 0 ? a : b;
}

function earlier(a: Uint8Array, b: Uint8Array): Uint8Array {
  return Buffer.compare(a, b) < 0 ? a : b;
}
