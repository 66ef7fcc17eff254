import { storeBlock, storeGenesis, type NewRows, type TravellingBlock } from '../../state/stored_blocks.ts';
import { accountHistories, type OperationPointer } from '../../state/tables/account_history.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { Seconds } from '../../values/time.ts';
import type { HistorySequences } from './history_sequences.ts';
import type { Journal } from './journal.ts';
import type { WorkingState } from './working_state.ts';

/** A block to be recorded, and the place of the record. */
export interface BlockRecording {
  readonly rows: NewRows;
  readonly journal: Journal;
  readonly sequences: Pick<HistorySequences, 'take'>;
}

/** Stores the block itself, its effects, and the new history entries: one row for most accounts. */
export function recordBlock(
  { rows, journal, sequences }: BlockRecording,
  block: TravellingBlock,
  timeBefore: Seconds,
): void {
  storeBlock(rows, block, journal.receipt(timeBefore));
  for (const [account, entries] of journal.histories()) {
    appendHistory(rows, account, block.number, sequences.take(account, entries.length), entries);
  }
}

// Reading one entry reads its row, however often the account acted in the block.
const LARGEST_HISTORY_ROW = 256;

function appendHistory(
  rows: NewRows,
  account: AccountName,
  block: number,
  first_sequence: number,
  entries: OperationPointer[],
): void {
  for (let from = 0; from < entries.length; from += LARGEST_HISTORY_ROW) {
    const some = entries.length <= LARGEST_HISTORY_ROW ? entries : entries.slice(from, from + LARGEST_HISTORY_ROW);
    rows.append(accountHistories, { account, first_sequence: first_sequence + from, block, entries: some });
  }
}

/** Stores the events before the first block: the record of block 0. */
export function recordGenesisEvents(state: WorkingState, time: Seconds): void {
  storeGenesis(state.rows, state.journal.receipt(time));
  state.journal.clear();
}
