import { ByteWriter } from '../codec/bytes.ts';
import { sameTuple } from './index_key.ts';
import { WriteBatch, type PreparedChanges } from './key_value.ts';
import type { PackedChanges } from './packed_changes.ts';
import { encodeKey } from './row_bytes.ts';
import type { Sha256, StateHash } from './state_hash.ts';
import type { Entry, SomeEntry } from './table_rows.ts';

/** A block's changes as bytes, to be written in one batch with the block, its undo record and the new state hash. */
export interface SealedBlock {
  /** Rows and indexes; the chain adds the rest of the block's data. */
  readonly batch: WriteBatch;
  /** The undo record for `undoBlock`, if requested. */
  readonly undo: Uint8Array;
  /** The state hash after the block. */
  readonly stateHash: string;
}

/** The parts of a block to be sealed. */
export interface SealOptions {
  /** The part of the block's write that was put together while the block grew. */
  readonly prepared: PreparedChanges | undefined;
  /** Changes that are not in that part yet, and what the block adds to the hash and to the undo record. */
  readonly changes: PackedChanges;
  /** The state hash before the block; updated to the one after it. */
  readonly hash: StateHash;
  readonly sha256: Sha256;
  /** True to create an undo record. */
  readonly undo: boolean;
}

/** Compares each changed row with the one on disk and encodes the differences. */
export function sealBlock(entries: readonly SomeEntry[], options: SealOptions): SealedBlock {
  const { hash, undo, prepared, changes } = options;
  const batch = new WriteBatch(prepared);
  changes.recordsUndo = undo;
  for (const entry of entries) {
    entry.sealedDigest = entry.digest;
    entry.sealedBytes = entry.rowBytes;
    sealEntry(entry, options);
    if (prepared !== undefined && changes.count >= prepared.changesAtOnce) changes.moveTo(prepared);
  }
  changes.moveTo(prepared ?? batch);
  hash.addAll(changes.hash);
  return { batch, undo: changes.undoRecord(), stateHash: hash.toHex() };
}

function sealEntry(entry: SomeEntry, options: SealOptions): void {
  const { rows, key, row, committed, preparedRow } = entry;
  if (row === committed) {
    // It was new when it was prepared, and is gone.
    if (preparedRow !== undefined) options.changes.deleteRow(rows.table, key);
  } else if (row !== undefined && row === preparedRow) {
    options.changes.recordBefore(encodeKey(rows.table, key), undefined);
  } else {
    sealRow(entry, options);
  }
}

/** Holds a row of the disk while it is compared with the new one. */
const scratch = new ByteWriter();

/** Writes a changed row and its index entries; nothing if its bytes are the same. */
function sealRow(entry: SomeEntry, { changes, undo, sha256 }: SealOptions): void {
  const { rows, key, row, committed } = entry;
  const before = changes.count;
  if (row !== undefined) changes.putRow(rows.table, key, row);
  entry.sealedBytes = row === undefined ? 0 : changes.lastValue.length;
  const digest = row === undefined ? undefined : changes.digestLast(rows.table);
  // Without an undo record, rows are compared by their digests if these are known.
  const isComparedByDigest = !undo && digest !== undefined && entry.digest !== undefined;
  const old = committed === undefined || isComparedByDigest ? undefined : writeRow(entry, committed);
  const isSame =
    (digest !== undefined && digest === entry.digest) ||
    (old !== undefined && row !== undefined && Buffer.compare(old.value, changes.lastValue) === 0);
  if (isSame) {
    changes.keepFirst(before);
    return;
  }
  if (row === undefined) changes.deleteRow(rows.table, key);
  changes.recordBefore(changes.lastKey, old?.value);
  sealIndexes(entry, changes);
  if (entry.digest !== undefined) changes.hash.subtract(entry.digest);
  else if (old !== undefined && rows.table.hashed) changes.hash.subtract(sha256(old.whole));
  if (digest !== undefined) changes.hash.add(digest);
  entry.sealedDigest = digest;
}

/** Views that the next row overwrites. */
function writeRow<Key, Row>(
  { rows, key }: Entry<Key, Row>,
  row: Row,
): { readonly value: Uint8Array; readonly whole: Uint8Array } {
  scratch.reset();
  rows.table.writeKey(scratch, key);
  const keyEnd = scratch.length;
  rows.table.value.write(scratch, row);
  return { value: scratch.view(keyEnd), whole: scratch.view() };
}

/** Writes a row before its block is sealed, if it is a new one; its table has no indexes and is not hashed. */
export function prepareRow(entry: SomeEntry, changes: PackedChanges): void {
  const { rows, key, row, committed, preparedRow } = entry;
  if (row === undefined || committed !== undefined || preparedRow !== undefined) return;
  changes.putRow(rows.table, key, row);
  entry.preparedRow = row;
}

function sealIndexes({ rows, key, committed, row }: SomeEntry, changes: PackedChanges): void {
  for (const index of rows.table.indexes) {
    const from = committed === undefined ? undefined : index.of(committed);
    const to = row === undefined ? undefined : index.of(row);
    if (sameTuple(from, to)) continue;
    if (from !== undefined) changes.deleteIndexEntry(index, from, key);
    if (to !== undefined) changes.putIndexEntry(index, to, key);
  }
}
