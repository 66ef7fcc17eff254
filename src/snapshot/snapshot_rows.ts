import { expirationBlocks, isNeededLocation } from '../chain/prune/pruning.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { accountHistories } from '../state/tables/account_history.ts';
import { blockParts } from '../state/tables/block_part.ts';
import { blocks } from '../state/tables/block.ts';
import { inboxes } from '../state/tables/inbox.ts';
import { tables } from '../state/tables/index.ts';
import { keyLookups } from '../state/tables/key_lookup.ts';
import { operationCharges } from '../state/tables/operation_charge.ts';
import { prunedBlocks } from '../state/tables/pruned_blocks.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import { walkEntries } from '../storage/entries.ts';
import type { KeyValueEntry, KeyValueReader } from '../storage/key_value.ts';
import { decodeRow, encodeKey } from '../storage/row_bytes.ts';
import type { SomeTable } from '../storage/table.ts';
import { ChunkPacking } from './chunk_packing.ts';
import { finalityChunk } from './finality_chunk.ts';
import type { SnapshotChunk } from './snapshot_schema.ts';

/** Which blocks a snapshot has. */
export interface SnapshotScope {
  /** The last block of the state. */
  readonly head: number;
  /** The first block of the file; with it come its transactions and all histories from it on. */
  readonly oldest: number;
  readonly parameters: ChainParameters;
}

/** So much is packed, checked and written at a time. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * The tables of a snapshot. What follows from their rows is made again where it is loaded: indexes, inboxes and, by
 * most rules, the keys.
 */
export function snapshotTables({ rules }: ChainParameters): readonly SomeTable[] {
  const derived: readonly SomeTable[] = rules.complete_key_index
    ? [inboxes, prunedBlocks, keyLookups]
    : [inboxes, prunedBlocks];
  return tables.tables.filter((table) => !derived.includes(table));
}

/** The rows of a state and its blocks, table by table in the order of keys. */
export function* snapshotChunks(reader: KeyValueReader, scope: SnapshotScope): Generator<SnapshotChunk> {
  const packing = new ChunkPacking();
  for (const table of snapshotTables(scope.parameters))
    for (const values of valuesOfChunks(walkRows(reader, table, scope))) yield packing.pack(table, values);
  if (scope.parameters.hasFinality) yield finalityChunk(reader, scope);
}

function* valuesOfChunks(entries: Iterable<KeyValueEntry>): Generator<readonly Uint8Array[]> {
  let [values, bytes] = [newValues(), 0];
  for (const { value } of entries) {
    values.push(value);
    bytes += value.length;
    if (bytes < CHUNK_BYTES) continue;
    yield values;
    [values, bytes] = [newValues(), 0];
  }
  if (values.length > 0) yield values;
}

function walkRows(reader: KeyValueReader, table: SomeTable, scope: SnapshotScope): Iterable<KeyValueEntry> {
  const { oldest, head, parameters } = scope;
  const is = (other: SomeTable): boolean => table === other;
  // Blocks that are not wanted are most of what a node has: they are not read.
  if (is(blocks)) return wantedBlocks(reader, oldest);
  if (is(blockParts)) return walkEntries(reader, blockParts, encodeKey(blockParts, { block: oldest, first: 0 }));
  if (is(operationCharges))
    return walkEntries(
      reader,
      operationCharges,
      encodeKey(operationCharges, { block: oldest, trx_in_block: 0, op_in_trx: 0 }),
    );
  const entries = walkEntries(reader, table);
  if (is(accountHistories)) return neededHistories(entries, oldest);
  if (!is(transactionLocations)) return entries;
  const kept = { oldest, final: head, expirationBlocks: expirationBlocks(parameters) };
  return filtered(entries, ({ value }) => isNeededLocation(decodeRow(transactionLocations, value).block, kept));
}

/** Row 0 is what happened before the first block. */
function* wantedBlocks(reader: KeyValueReader, oldest: number): Generator<KeyValueEntry> {
  const key = encodeKey(blocks, 0);
  const value = oldest === 0 ? undefined : reader.get(blocks.column, key);
  if (value !== undefined) yield { key, value };
  yield* walkEntries(reader, blocks, encodeKey(blocks, oldest));
}

function* filtered(
  entries: Iterable<KeyValueEntry>,
  isWanted: (entry: KeyValueEntry) => boolean,
): Generator<KeyValueEntry> {
  for (const entry of entries) if (isWanted(entry)) yield entry;
}

/** Those of the blocks in the file, and the last one of each account: it says where its sequence numbers continue. */
function* neededHistories(entries: Iterable<KeyValueEntry>, oldest: number): Generator<KeyValueEntry> {
  let before: KeyValueEntry | undefined;
  for (const entry of entries) {
    if (before !== undefined && (!isSameAccount(before, entry) || rowBlock(before) >= oldest)) yield before;
    before = entry;
  }
  if (before !== undefined) yield before;
}

/** A key ends with the four bytes of the sequence number. */
function isSameAccount({ key: one }: KeyValueEntry, { key: other }: KeyValueEntry): boolean {
  return Buffer.compare(one.subarray(0, -4), other.subarray(0, -4)) === 0;
}

function rowBlock({ value }: KeyValueEntry): number {
  return decodeRow(accountHistories, value).block;
}

function newValues(): Uint8Array[] {
  return [];
}
