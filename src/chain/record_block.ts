import type { ProvedBlock } from '../blocks/block.ts';
import { storeBlock, storeGenesis } from '../state/stored_blocks.ts';
import { accountHistories, type OperationPointer } from '../state/tables/account_history.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Seconds } from '../values/time.ts';
import type { WorkingState } from './working_state.ts';

/** Stores the block itself, what it did besides, and the new entries of histories: one row for most accounts. */
export function recordBlock(state: WorkingState, block: ProvedBlock, timeBefore: Seconds): void {
  storeBlock(state.rows, block, state.journal.receipt(timeBefore));
  for (const [account, entries] of state.journal.histories()) appendHistory(state, account, block.number, entries);
}

// Who reads one entry reads its row, however often the account acted in the block.
const LARGEST_HISTORY_ROW = 256;

function appendHistory(state: WorkingState, account: AccountName, block: number, entries: OperationPointer[]): void {
  const first_sequence = state.sequences.take(account, entries.length);
  for (let from = 0; from < entries.length; from += LARGEST_HISTORY_ROW) {
    const some = entries.length <= LARGEST_HISTORY_ROW ? entries : entries.slice(from, from + LARGEST_HISTORY_ROW);
    state.rows.append(accountHistories, { account, first_sequence: first_sequence + from, block, entries: some });
  }
}

/** Stores what happened before the first block: the record of block 0. */
export function recordGenesisEvents(state: WorkingState, time: Seconds): void {
  storeGenesis(state.rows, state.journal.receipt(time));
  state.journal.clear();
}
