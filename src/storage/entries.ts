import { ByteWriter } from '../codec/bytes.ts';
import { afterPrefix, type KeyValueEntry, type KeyValueReader } from './key_value.ts';
import type { Walkable } from './table.ts';

const PAGE = 1000; // entries per read when everything is iterated

/**
 * All entries of a table or an index as stored on disk, ascending, or those from a key on: for checks that must see
 * every one.
 */
export function* walkEntries(
  reader: KeyValueReader,
  walked: Walkable<never>,
  from?: Uint8Array,
): Generator<KeyValueEntry> {
  const prefix = new ByteWriter();
  walked.writePrefix(prefix);
  const upper = afterPrefix(prefix.view());
  for (let lower: Uint8Array = from ?? prefix.finish(); ;) {
    const page = reader.range(walked.column, { lower, upper, limit: PAGE });
    yield* page;
    const last = page[PAGE - 1];
    if (last === undefined) return;
    lower = Buffer.concat([last.key, Buffer.of(0)]);
  }
}

/** The number of entries. */
export function countEntries(reader: KeyValueReader, walked: Walkable<never>): number {
  let count = 0;
  for (const entry of walkEntries(reader, walked)) count += entry.key.length > 0 ? 1 : 0;
  return count;
}
