import { Fault } from '../base/fault.ts';
import { oldestBlock } from '../state/stored_blocks.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { prunedBlocks } from '../state/tables/pruned_blocks.ts';
import { WriteBatch, type KeyValueStore } from '../storage/key_value.ts';
import { encodeRow } from '../storage/row_bytes.ts';
import { View } from '../storage/view.ts';
import { BranchPoints } from './ledger/branch_points.ts';
import { FinalityRecords, type FinalityBeginning } from './ledger/finality_records.ts';
import { recordTables } from './ledger/recorded_tables.ts';
import { makeFinalityRecord, noFinality, uncertified, type FinalityRecord } from './apply/finality.ts';
import { DISK_FORMAT, encodeHead, HEAD_COLUMN, headKey, type HeadRecord } from '../state/head_record.ts';

const NO_CURSOR = new Uint8Array(0);
/** The few rows that say who may follow. */
const VIEWED_ROWS = 1000;

/** A state in a store that no chain has written. */
export interface StoredState {
  readonly stateHash: string;
  /** The first of its blocks; its last one is the head. */
  readonly oldest: number;
  /** The beginning of the finality records; undefined where confirmations make blocks final. */
  readonly finality?: FinalityBeginning | undefined;
}

/**
 * Makes a chain of a state and its blocks, whose rows are all in the store: with its last write, which is durable, it
 * is one. Nothing can be undone.
 */
export function adoptState(
  store: KeyValueStore,
  parameters: ChainParameters,
  { stateHash, oldest, finality }: StoredState,
): HeadRecord {
  const { chainId, hasFinality } = parameters;
  const rows = new View(store, VIEWED_ROWS);
  const { head_block_number } = rows.only(dynamicGlobalProperties);
  const behind = head_block_number + 1;
  const makeRecord = (number: number): FinalityRecord =>
    hasFinality ? noFinality() : makeFinalityRecord(uncertified(number));
  const head = {
    ...{ format: DISK_FORMAT, chain_id: chainId, state_hash: stateHash, head_block_number },
    ...{ oldest_undo: behind, oldest_kept: behind, ...makeRecord(head_block_number) },
  };
  if (hasFinality) new FinalityRecords(store, parameters).adopt(store, rows, oldest, requireBeginning(finality));
  const batch = new WriteBatch();
  if (oldest > oldestBlock(rows)) {
    const { key, value } = encodeRow(prunedBlocks, null, { oldest, swept: oldest, cursor: NO_CURSOR });
    batch.put(prunedBlocks.column, key, value);
  }
  new BranchPoints(store).begin(batch, rows);
  recordTables(batch);
  batch.put(HEAD_COLUMN, headKey(), encodeHead(head));
  store.write(batch, true);
  return head;
}

function requireBeginning(finality: FinalityBeginning | undefined): FinalityBeginning {
  if (finality !== undefined) return finality;
  throw new Fault(
    'configuration',
    'the snapshot says nothing of votes, which make blocks final on this chain: a program whose data has format 4 or less wrote it, before votes were the default; begin in an empty folder with peers, or with its blocks (pharos export there, pharos import here)',
  );
}
