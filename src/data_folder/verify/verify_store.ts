import { Fault } from '../../base/fault.ts';
import { unlessRefused } from '../../base/refusal.ts';
import { certificate } from '../../blocks/finality/certificate.ts';
import { BranchPoints } from '../../chain/ledger/branch_points.ts';
import { FinalityRecords } from '../../chain/ledger/finality_records.ts';
import { requireTables } from '../../chain/ledger/recorded_tables.ts';
import { requireKnownHardforks } from '../../state/hardforks.ts';
import { HEAD_COLUMN, readHead, undoKey, type HeadRecord } from '../../state/head_record.ts';
import { invariantViolations } from '../../chain/invariants.ts';
import { sha256Binary } from '../../crypto/hashes.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { blockRow, oldestBlock } from '../../state/stored_blocks.ts';
import { ByteReader } from '../../codec/bytes.ts';
import type { BlockId } from '../../values/hash.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { tables } from '../../state/tables/index.ts';
import { indexProblems } from '../../storage/check_indexes.ts';
import type { KeyValueReader } from '../../storage/key_value.ts';
import { recomputeStateHash } from '../../storage/state_hash.ts';
import { View } from '../../storage/view.ts';
import { BlockProblems, MOST_PROBLEMS } from './block_problems.ts';
import { inboxProblems } from './inbox_problems.ts';
import { KeyIndexProblems } from './key_index_problems.ts';

/** The result of a verification; it has no problems if every check passed. */
export interface Verification {
  readonly problems: readonly string[];
  readonly summary: string;
}

const CACHED_ROWS = 1000;

/** The checks of `verifyStore`, for the command's help. */
export const CHECKS = `Nothing is changed: the log is copied to the temporary folder, the rest is read where it lies. Checked are:
  head          that the database has the newest block that the folder says it had; that the last irreversible one can be one
  blocks        id, link to the block before, merkle root, size, parts
  histories     every entry of every account, against the blocks
  transactions  in which block each stands, against the blocks
  state         all rows, against the state hash of the head; the head block
  indexes       every secondary index, the key index and the inboxes, against the rows
  undo          a record for each block that can still be taken back, and who may follow it
  finality      where votes make blocks final: their voters, the range of headers, whose certificate makes the last block final
  money         supply, vesting, pools and escrows, against each other
Not checked: signatures and what operations did, which only "pharos import" applies again. Where old blocks are not kept (blocks-kept),
blocks, histories and transactions are checked from the oldest kept block on, and the numbers that histories begin with are taken as they
are; under the lineage's rules the key index is not checked then, as it follows from all blocks.`;

/** Checks a store for consistency, as CHECKS describes; `progress` is called as blocks are checked. */
export function verifyStore(
  reader: KeyValueReader,
  parameters: ChainParameters,
  progress: (done: number, total: number) => void,
): Verification {
  const head = requireHead(reader, parameters);
  const view = new View(reader, CACHED_ROWS);
  requireKnownHardforks(view, parameters.hardforks);
  progress(0, head.head_block_number);
  const oldest = oldestBlock(view);
  // By those rules the index can be told from the authorities only together with all blocks.
  const checksKeys = oldest === 1 || parameters.rules.complete_key_index;
  const keyIndex = new KeyIndexProblems(reader, parameters);
  const stateHash = recomputeStateHash(reader, tables, sha256Binary);
  const problems = [
    ...new BlockProblems(reader, parameters).find(head.head_block_number, (block) => {
      keyIndex.visit(block);
      if (block.number % 1000 === 0 || block.number === head.head_block_number)
        progress(block.number, head.head_block_number);
    }),
    ...(stateHash === head.state_hash
      ? []
      : [`the rows have state hash ${stateHash}, the head says ${head.state_hash}`]),
    ...headProblems(view, head, parameters),
    ...finalityProblems(reader, view, head, parameters),
    ...indexProblems(reader, tables),
    ...(checksKeys ? keyIndex.find() : []),
    ...inboxProblems(reader),
    ...undoProblems(reader, head),
    ...invariantViolations(view, parameters),
  ];
  return {
    problems: problems.slice(0, MOST_PROBLEMS),
    summary: `chain ${head.chain_id}, ${blocksText(oldest, head)}, state hash ${stateHash}: ${problems.length === 0 ? 'intact' : `${problems.length} problems`}`,
  };
}

function blocksText(oldest: number, { head_block_number: head }: HeadRecord): string {
  return oldest === 1 ? `${head} blocks` : `blocks ${oldest} to ${head}, those before are not kept`;
}

function requireHead(reader: KeyValueReader, { chainId }: ChainParameters): HeadRecord {
  const head = readHead(reader);
  if (head === undefined) throw new Fault('configuration', 'the folder holds no chain');
  if (head.chain_id !== chainId)
    throw new Fault('configuration', `the data is of chain ${head.chain_id}, the genesis of chain ${chainId}`);
  requireTables(reader);
  return head;
}

function headProblems(
  view: View,
  { head_block_number: head, irreversible_number: final, oldest_undo }: HeadRecord,
  { hasFinality }: ChainParameters,
): string[] {
  const { head_block_number: ofState } = view.only(dynamicGlobalProperties);
  const problems: string[] = [];
  if (ofState !== head) problems.push(`the state is that behind block ${ofState}, the head is block ${head}`);
  // Imported blocks can't be undone, and become irreversible by a certificate.
  const least = hasFinality ? 0 : oldest_undo - 1;
  if (final > head || final < least)
    problems.push(
      `block ${final} is recorded as the last irreversible one, which is none of blocks ${least} to ${head}`,
    );
  return problems;
}

/**
 * Checks on chains with votes that their statements are recorded, and that the certificate is for the block that is
 * told as final. The end of an epoch may be final by a checkpoint.
 */
function finalityProblems(reader: KeyValueReader, view: View, head: HeadRecord, parameters: ChainParameters): string[] {
  if (!parameters.hasFinality) return [];
  const { irreversible_number: final, irreversible_certificate: packed } = head;
  const recorded = new FinalityRecords(reader, parameters).problems(
    view,
    Math.max(oldestBlock(view), 1),
    head.head_block_number,
  );
  // People's word ends an epoch without a certificate (finality-checkpoint).
  const isOnWord = packed.length === 0 && final % parameters.genesis.max_witnesses === 0;
  if (final === 0 || isOnWord) return recorded;
  const id = blockRow(view, final)?.id;
  const certified = certifiedBlock(packed);
  if (certified === undefined)
    return [...recorded, `block ${final} is recorded as the last irreversible one, without a certificate`];
  return id === undefined || certified === id
    ? recorded
    : [...recorded, `the certificate of block ${final} is for ${certified}, the block is ${id}`];
}

/** Undefined where the bytes are no certificate. */
function certifiedBlock(packed: Uint8Array): BlockId | undefined {
  return packed.length === 0 ? undefined : unlessRefused(() => certificate.read(new ByteReader(packed)).subject.block);
}

function undoProblems(reader: KeyValueReader, { oldest_kept, head_block_number }: HeadRecord): string[] {
  const problems: string[] = [];
  const points = new BranchPoints(reader);
  if (!points.has(oldest_kept - 1)) problems.push(`it is unknown who may follow block ${oldest_kept - 1}`);
  for (let block = oldest_kept; block <= head_block_number; block++) {
    if (!points.has(block)) problems.push(`it is unknown who may follow block ${block}`);
    if (reader.get(HEAD_COLUMN, undoKey(block)) === undefined)
      problems.push(`the undo record of block ${block} is missing`);
  }
  return problems;
}
