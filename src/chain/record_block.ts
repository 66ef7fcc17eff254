import type { ProvedBlock } from '../blocks/block.ts';
import { accountHistories, type OperationPointer } from '../state/tables/account_history.ts';
import { blocks } from '../state/tables/block.ts';
import { blockReceipts } from '../state/tables/block_receipt.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Seconds } from '../values/time.ts';
import type { WorkingState } from './working_state.ts';

/** Stores the block itself, what it did besides, and the new entries of histories: one row an account. */
export function recordBlock(state: WorkingState, block: ProvedBlock, timeBefore: Seconds): void {
  state.rows.append(blocks, { number: block.number, id: block.id, packed: block.packed });
  state.rows.append(blockReceipts, state.journal.receipt(block.number, timeBefore));
  for (const [account, entries] of state.journal.histories()) appendHistory(state, account, block.number, entries);
}

function appendHistory(state: WorkingState, account: AccountName, block: number, entries: OperationPointer[]): void {
  const first_sequence = state.sequences.take(account, entries.length);
  state.rows.append(accountHistories, { account, first_sequence, block, entries });
}

/** Stores what happened before the first block: the record of block 0. */
export function recordGenesisEvents(state: WorkingState, time: Seconds): void {
  state.rows.append(blockReceipts, state.journal.receipt(0, time));
  state.journal.clear();
}
