import type { ByteWriter } from '../codec/bytes.ts';
import { countEntries, walkEntries } from './entries.ts';
import { encodeIndexKey } from './index_key.ts';
import { WriteBatch, type KeyValueReader, type KeyValueStore } from './key_value.ts';
import { decodeRow } from './row_bytes.ts';
import { SortedRun } from './sorted_run.ts';
import type { SomeTable, Walkable } from './table.ts';

type SomeIndex = SomeTable['indexes'][number];

/** Indexes of one table that are to be built from its rows. */
export interface MissingIndexes {
  readonly table: SomeTable;
  readonly indexes: readonly SomeIndex[];
}

const DELETED_A_WRITE = 4096;

/** Returns the number of rows that `buildIndexes` will read. */
export function rowsToRead(reader: KeyValueReader, missing: readonly MissingIndexes[]): number {
  return missing.reduce((sum, { table, indexes }) => sum + (indexes.length === 0 ? 0 : countEntries(reader, table)), 0);
}

/**
 * Builds indexes of which no entry is left, from the rows; `read` is told each thousand rows. Nothing is durable yet.
 */
export function buildIndexes(
  store: KeyValueStore,
  missing: readonly MissingIndexes[],
  read: (rows: number) => void,
): void {
  let rows = 0;
  for (const { table, indexes } of missing) {
    if (indexes.length === 0) continue;
    const runs = indexes.map((index) => ({ index, run: new SortedRun(store, index.column) }));
    for (const { key, value } of walkEntries(store, table)) {
      const row = decodeRow(table, value);
      for (const { index, run } of runs) {
        const tuple = index.of(row);
        // After the table's number, the key on disk consists of the key's parts.
        if (tuple !== undefined) run.put(encodeIndexKey(index, tuple, table, table.keyOf(row)), key.subarray(1));
      }
      rows += 1;
      if (rows % 1000 === 0) read(rows);
    }
    for (const { run } of runs) run.flush();
  }
  read(rows);
}

/** Deletes all entries of the index with this number, whether or not it is declared. */
export function eraseIndex(store: KeyValueStore, table: SomeTable, number: number): void {
  const erased: Walkable<never> = {
    column: 'order',
    writePrefix: (out: ByteWriter) => [table.number, number].forEach((byte) => out.u8(byte)),
  };
  let batch = new WriteBatch();
  for (const { key } of walkEntries(store, erased)) {
    batch.delete(erased.column, key);
    if (batch.changes.length < DELETED_A_WRITE) continue;
    store.write(batch, false);
    batch = new WriteBatch();
  }
  store.write(batch, false);
}
