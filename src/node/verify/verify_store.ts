import { Fault } from '../../base/fault.ts';
import { BranchPoints } from '../../chain/branch_points.ts';
import { HEAD_COLUMN, readHead, undoKey, type HeadRecord } from '../../state/head_record.ts';
import { invariantViolations } from '../../chain/invariants.ts';
import { sha256Binary } from '../../crypto/hashes.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { oldestBlock } from '../../state/stored_blocks.ts';
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

/** What `verifyStore` checks, for the command's help. */
export const CHECKS = `Nothing is changed: the log is copied to the temporary folder, the rest is read where it lies. Checked are:
  head          that the database has the newest block that the folder says it had; that the last irreversible one can be one
  blocks        id, link to the block before, merkle root, size, parts
  histories     every entry of every account, against the blocks
  transactions  in which block each stands, against the blocks
  state         all rows, against the state hash of the head; the head block
  indexes       every secondary index, the key index and the inboxes, against the rows
  undo          a record for each block that can still be taken back, and who may follow it
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
  progress(0, head.head_block_number);
  const oldest = oldestBlock(view);
  // By those rules the index can be told from the authorities only together with all blocks.
  const checksKeys = oldest === 1 || parameters.rules.complete_key_index;
  const keyIndex = new KeyIndexProblems(reader, parameters);
  const stateHash = recomputeStateHash(reader, tables, sha256Binary);
  const problems = [
    ...new BlockProblems(reader, parameters).find(head.head_block_number, (block) => {
      keyIndex.visit(block);
      if (block.number % 1000 === 0 || block.number === head.head_block_number) progress(block.number, head.head_block_number);
    }),
    ...(stateHash === head.state_hash ? [] : [`the rows have state hash ${stateHash}, the head says ${head.state_hash}`]),
    ...headProblems(view, head),
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
  if (head.chain_id !== chainId) throw new Fault('configuration', `the data is of chain ${head.chain_id}, the genesis of chain ${chainId}`);
  return head;
}

function headProblems(view: View, { head_block_number: head, irreversible_number: final, oldest_undo }: HeadRecord): string[] {
  const { head_block_number: ofState } = view.only(dynamicGlobalProperties);
  const problems: string[] = [];
  if (ofState !== head) problems.push(`the state is that behind block ${ofState}, the head is block ${head}`);
  if (final > head || final < oldest_undo - 1)
    problems.push(`block ${final} is recorded as the last irreversible one, which is none of blocks ${oldest_undo - 1} to ${head}`);
  return problems;
}

function undoProblems(reader: KeyValueReader, { oldest_kept, head_block_number }: HeadRecord): string[] {
  const problems: string[] = [];
  const points = new BranchPoints(reader);
  if (!points.has(oldest_kept - 1)) problems.push(`it is unknown who may follow block ${oldest_kept - 1}`);
  for (let block = oldest_kept; block <= head_block_number; block++) {
    if (!points.has(block)) problems.push(`it is unknown who may follow block ${block}`);
    if (reader.get(HEAD_COLUMN, undoKey(block)) === undefined) problems.push(`the undo record of block ${block} is missing`);
  }
  return problems;
}
