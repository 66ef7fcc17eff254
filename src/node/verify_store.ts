import { Fault } from '../base/fault.ts';
import { readBlock } from '../blocks/block.ts';
import { merkleRoot } from '../blocks/merkle.ts';
import { readHead } from '../chain/head_record.ts';
import { invariantViolations } from '../chain/invariants.ts';
import { sha256Binary } from '../crypto/hashes.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { storedBlock } from '../state/stored_blocks.ts';
import { tables } from '../state/tables/index.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import { orderProblems } from '../storage/check_orders.ts';
import type { KeyValueReader } from '../storage/key_value.ts';
import { recomputeStateHash } from '../storage/state_hash.ts';
import { View } from '../storage/view.ts';
import { ZERO_HASH160 } from '../values/hash.ts';

/** What a check found; no problems mean that every check passed. */
export interface Verification {
  readonly problems: readonly string[];
  readonly summary: string;
}

const MOST_PROBLEMS = 20; // a damaged folder can have millions, and nobody reads more
const CACHED_ROWS = 1000;

/** Checks a store against itself: blocks and their links, rows and the state hash, orders, sums of money. */
export function verifyStore(
  reader: KeyValueReader,
  parameters: ChainParameters,
  progress: (done: number, total: number) => void,
): Verification {
  const head = readHead(reader);
  if (head === undefined) throw new Fault('configuration', 'the folder holds no chain');
  if (head.chain_id !== parameters.chainId)
    throw new Fault('configuration', `the data is of chain ${head.chain_id}, the genesis of chain ${parameters.chainId}`);
  const view = new View(reader, CACHED_ROWS);
  const stateHash = recomputeStateHash(reader, tables, sha256Binary);
  const problems = [
    ...blockProblems(view, head.head_block_number, progress),
    ...(stateHash === head.state_hash ? [] : [`the rows have state hash ${stateHash}, the head says ${head.state_hash}`]),
    ...orderProblems(reader, tables),
    ...invariantViolations(view, parameters),
  ];
  return {
    problems: problems.slice(0, MOST_PROBLEMS),
    summary: `chain ${head.chain_id}, ${head.head_block_number} blocks, state hash ${stateHash}: ${problems.length === 0 ? 'intact' : `${problems.length} problems`}`,
  };
}

function blockProblems(view: View, count: number, progress: (done: number, total: number) => void): string[] {
  const problems: string[] = [];
  let previous = ZERO_HASH160;
  for (let number = 1; number <= count && problems.length < MOST_PROBLEMS; number++) {
    const stored = storedBlock(view, number);
    if (stored === undefined) problems.push(`block ${number} is missing`);
    else problems.push(...problemsOf(view, number, stored.packed, stored.id, previous));
    previous = stored?.id ?? '';
    if (number % 1000 === 1 || number === count) progress(number === 1 ? 0 : number, count);
  }
  return problems;
}

function problemsOf(view: View, number: number, packed: Uint8Array, id: string, previous: string): string[] {
  const block = readBlock(packed);
  const problems: string[] = [];
  if (block.id !== id) problems.push(`block ${number} has id ${block.id}, its row says ${id}`);
  if (block.header.previous !== previous) problems.push(`block ${number} does not follow block ${number - 1}`);
  if (block.header.transaction_merkle_root !== merkleRoot(block.transactions.map(({ leaf }) => leaf)))
    problems.push(`block ${number} has a wrong merkle root`);
  block.transactions.forEach((transaction, index) => {
    const location = view.get(transactionLocations, transaction.id);
    if (location?.block !== number || location.index !== index)
      problems.push(`transaction ${transaction.id} of block ${number} is not found by its id`);
  });
  return problems;
}
