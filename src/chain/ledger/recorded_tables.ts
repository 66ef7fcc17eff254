import { Fault } from '../../base/fault.ts';
import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import { vector } from '../../codec/collections.ts';
import { text, u8 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import { FROM_OLDER, HEAD_COLUMN, tablesKey } from '../../state/head_record.ts';
import { tables } from '../../state/tables/index.ts';
import { WriteBatch, type KeyValueReader, type KeyValueStore } from '../../storage/key_value.ts';
import { buildIndexes, eraseIndex, rowsToRead, type MissingIndexes } from '../../storage/rebuild_indexes.ts';
import { tableLayouts, type TableLayout } from '../../storage/table_layout.ts';
import { digest } from '../../values/hash.ts';

/** The layouts of all tables, as the folder of a chain records them. */
export const tablesRecord = vector(
  struct({ number: u8, name: text, rows: digest, indexes: vector(struct({ name: text, digest })) }),
);

/** Tables whose indexes on disk differ from those that this program declares. */
interface StaleIndexes extends MissingIndexes {
  /** The numbers whose entries are erased, of indexes that are no longer declared too. */
  readonly erased: readonly number[];
}

/** Told how many of all rows have been read. */
export type RebuildProgress = (read: number, total: number) => void;

/** Records in a new chain's first write how this program lays out its tables. */
export function recordTables(batch: WriteBatch): void {
  put(batch, tableLayouts(tables, sha256Hex));
}

/** Fault `configuration` unless the tables and indexes on disk are those that this program declares. */
export function requireTables(reader: KeyValueReader): void {
  const declared = tableLayouts(tables, sha256Hex);
  const stale = staleIndexes(readRecordedTables(reader, declared), declared);
  if (stale.length === 0) return;
  const names = stale.map(({ table }) => table.name).join(', ');
  throw new Fault(
    'configuration',
    `the indexes of ${names} are those of another version; pharos run rebuilds them when it starts on this folder`,
  );
}

/**
 * Rebuilds the indexes that another version declared differently. Fault `configuration` where rows differ: then nothing
 * is written. A crash loses nothing: the record lacks an index until its last entry is durable, so the next start
 * builds it again.
 */
export function fitTables(store: KeyValueStore, progress: RebuildProgress): void {
  const declared = tableLayouts(tables, sha256Hex);
  const recorded = readRecordedTables(store, declared);
  const stale = staleIndexes(recorded, declared);
  if (stale.length === 0) return;
  record(
    store,
    recorded.map((layout) => without(layout, stale)),
  );
  for (const { table, erased } of stale) for (const number of erased) eraseIndex(store, table, number);
  const total = rowsToRead(store, stale);
  buildIndexes(store, stale, (read) => progress(read, total));
  record(store, declared);
}

/** The layouts on disk. Fault `configuration` when their rows aren't those of this program. */
function readRecordedTables(reader: KeyValueReader, declared: readonly TableLayout[]): readonly TableLayout[] {
  const bytes = reader.get(HEAD_COLUMN, tablesKey());
  if (bytes === undefined)
    throw new Fault(
      'configuration',
      `the folder does not record its tables, so an older program wrote it: ${FROM_OLDER}`,
    );
  const recorded = tablesRecord.read(new ByteReader(bytes));
  const names = new Set([...recorded, ...declared].map(({ name }) => name));
  const rowsDigest = (layouts: readonly TableLayout[], name: string): string | undefined =>
    layouts.find((layout) => layout.name === name)?.rows;
  const other = [...names].filter((name) => rowsDigest(recorded, name) !== rowsDigest(declared, name));
  if (other.length === 0) return recorded;
  throw new Fault(
    'configuration',
    `another version wrote the folder, whose rows of ${other.join(', ')} are not those of this one: ${FROM_OLDER}`,
  );
}

function staleIndexes(recorded: readonly TableLayout[], layouts: readonly TableLayout[]): StaleIndexes[] {
  return layouts.flatMap((declared) => {
    const table = tables.tables.find(({ number }) => number === declared.number);
    const found = recorded.find(({ number }) => number === declared.number);
    if (table === undefined || found === undefined) return [];
    const most = Math.max(found.indexes.length, declared.indexes.length);
    const erased = Array.from({ length: most }, (_, number) => number).filter(
      (number) => found.indexes[number]?.digest !== declared.indexes[number]?.digest,
    );
    if (erased.length === 0) return [];
    return [{ table, erased, indexes: table.indexes.filter(({ number }) => erased.includes(number)) }];
  });
}

/** The layout without what is about to be erased. An empty name keeps the numbers of the indexes behind it. */
function without(layout: TableLayout, stale: readonly StaleIndexes[]): TableLayout {
  const erased = stale.find(({ table }) => table.number === layout.number)?.erased ?? [];
  return {
    ...layout,
    indexes: layout.indexes.map((index, number) => (erased.includes(number) ? { name: '', digest: NOTHING } : index)),
  };
}

const NOTHING = '0'.repeat(64);

function record(store: KeyValueStore, layouts: readonly TableLayout[]): void {
  const batch = new WriteBatch();
  put(batch, layouts);
  store.write(batch, true);
}

function put(batch: WriteBatch, layouts: readonly TableLayout[]): void {
  const out = new ByteWriter();
  tablesRecord.write(out, layouts);
  batch.put(HEAD_COLUMN, tablesKey(), out.finish());
}
