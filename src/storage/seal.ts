import { WriteBatch, type PreparedChanges } from './key_value.ts';
import { encodeIndexKey, sameTuple } from './index_key.ts';
import { encodeRow, type RowBytes } from './row_bytes.ts';
import type { Sha256, StateHash } from './state_hash.ts';
import type { Entry, PreparedRow, SomeEntry } from './table_rows.ts';
import { encodeUndoRecord, type RowBefore } from './undo_record.ts';

/** A block's changes as bytes, to be written in one batch with the block, its undo record and the new state hash. */
export interface SealedBlock {
  /** Rows and indexes; the chain adds the rest of the block's data. */
  readonly batch: WriteBatch;
  /** The undo record for `undoBlock`, if requested. */
  readonly undo: Uint8Array;
  /** The state hash after the block. */
  readonly stateHash: string;
}

/** Options for sealing a block. */
export interface SealOptions {
  /** The part of the block's write that was put together while the block grew. */
  readonly prepared: PreparedChanges | undefined;
  /** Updated with the block's changes. */
  readonly hash: StateHash;
  readonly sha256: Sha256;
  /** True to create an undo record. */
  readonly undo: boolean;
}

/** Compares each changed row with the one on disk and encodes the differences. */
export function sealBlock(entries: readonly SomeEntry[], options: SealOptions): SealedBlock {
  const { hash, undo, prepared } = options;
  const batch = new WriteBatch(prepared);
  const before: RowBefore[] = [];
  for (const entry of entries) {
    entry.sealedDigest = entry.digest;
    entry.sealedBytes = entry.rowBytes;
    if (entry.row === entry.committed) continue;
    const changed = entry.prepared === undefined ? sealRow(entry, batch, options) : sealPrepared(entry.prepared, hash);
    if (undo && changed !== undefined) before.push(changed);
  }
  return { batch, undo: encodeUndoRecord(before), stateHash: hash.toHex() };
}

/** The row as it was before; undefined where its bytes have not changed. */
function sealRow(entry: SomeEntry, batch: WriteBatch, { hash, sha256, undo }: SealOptions): RowBefore | undefined {
  const now = rowBytes(entry, entry.row);
  entry.sealedBytes = now?.value.length ?? 0;
  const digest = now?.whole === undefined ? undefined : sha256(now.whole);
  // Without an undo record, rows are compared by their digests if these are known.
  const old = undo || digest === undefined || entry.digest === undefined ? rowBytes(entry, entry.committed) : undefined;
  const key = now?.key ?? old?.key;
  if (key === undefined || (digest !== undefined && digest === entry.digest) || sameValue(old, now)) return undefined;
  if (now === undefined) batch.delete(entry.rows.table.column, key);
  else batch.put(entry.rows.table.column, key, now.value);
  sealIndexes(entry, key, batch);
  if (entry.digest !== undefined) hash.subtract(entry.digest);
  else if (old?.whole !== undefined) hash.subtract(sha256(old.whole));
  if (digest !== undefined) hash.add(digest);
  entry.sealedDigest = digest;
  return { key, value: old?.value };
}

function sealPrepared({ key, digest }: PreparedRow, hash: StateHash): RowBefore {
  if (digest !== undefined) hash.add(digest);
  return { key, value: undefined };
}

function rowBytes<Key, Row>({ rows, key }: Entry<Key, Row>, row: Row | undefined): RowBytes | undefined {
  return row === undefined ? undefined : encodeRow(rows.table, key, row);
}

function sameValue(old: RowBytes | undefined, now: RowBytes | undefined): boolean {
  return old !== undefined && now !== undefined && Buffer.compare(old.value, now.value) === 0;
}

/** Writes a row before its block is sealed, if it is a new one. */
export function prepareRow(entry: SomeEntry, changes: PreparedChanges, sha256: Sha256): void {
  if (entry.committed !== undefined || entry.prepared !== undefined) return;
  const now = rowBytes(entry, entry.row);
  if (now === undefined) return;
  changes.put(entry.rows.table.column, now.key, now.value);
  sealIndexes(entry, now.key, changes);
  // A copy, so that the value's bytes don't stay in memory.
  entry.prepared = { key: Buffer.from(now.key), digest: now.whole === undefined ? undefined : sha256(now.whole) };
}

/** Takes back what `prepareRow` did, because the row changes after all. */
export function unprepareRow(entry: SomeEntry, changes: PreparedChanges): void {
  const { rows, key, committed, row, prepared } = entry;
  if (prepared === undefined) return;
  changes.delete(rows.table.column, prepared.key);
  sealIndexes({ rows, key, committed: row, row: committed }, prepared.key, changes);
  entry.prepared = undefined;
}

function sealIndexes(
  { rows, key, committed, row }: Pick<SomeEntry, 'rows' | 'key' | 'committed' | 'row'>,
  diskKey: Uint8Array,
  batch: Pick<PreparedChanges, 'put' | 'delete'>,
): void {
  for (const index of rows.table.indexes) {
    const from = committed === undefined ? undefined : index.of(committed);
    const to = row === undefined ? undefined : index.of(row);
    if (sameTuple(from, to)) continue;
    if (from !== undefined) batch.delete('order', encodeIndexKey(index, from, rows.table, key));
    // After the table's number, the key on disk consists of the key's parts.
    if (to !== undefined) batch.put('order', encodeIndexKey(index, to, rows.table, key), diskKey.subarray(1));
  }
}
