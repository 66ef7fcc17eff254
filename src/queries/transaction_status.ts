import { lastIrreversible } from '../state/last_irreversible.ts';
import { blockRow, oldestBlock } from '../state/stored_blocks.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { TransactionId } from '../values/hash.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../values/limits.ts';
import type { Seconds } from '../values/time.ts';

/** The block of the main branch that has a transaction, and whether it is final; undefined when none has it. */
export function blockStanding(
  rows: CommittedRows,
  id: TransactionId,
): { status: 'in_block' | 'final'; block_num: number } | undefined {
  const place = rows.get(transactionLocations, id);
  if (place === undefined) return undefined;
  return { status: place.block <= lastIrreversible(rows) ? 'final' : 'in_block', block_num: place.block };
}

/**
 * Classifies a transaction that no block of the main branch has: a block may still take it (`open`), none can on any
 * branch (`expired`), or a block may have had it that is not kept (`too_old`).
 */
export function absenceStatus(rows: CommittedRows, expiration: Seconds): 'open' | 'expired' | 'too_old' {
  const finalTime = irreversibleTime(rows);
  // A block takes what expires after the block before it.
  if (finalTime === undefined || expiration > finalTime) return 'open';
  return expiration - MAX_SECONDS_UNTIL_EXPIRATION < timeBeforeKept(rows) ? 'too_old' : 'expired';
}

/**
 * The time of the last irreversible block; undefined before the first one, and while its follower is not here to tell
 * it.
 */
export function irreversibleTime(rows: CommittedRows): Seconds | undefined {
  const number = lastIrreversible(rows);
  if (number === 0) return undefined;
  const { head_block_number, time } = rows.only(dynamicGlobalProperties);
  return number === head_block_number ? time : blockRow(rows, number + 1)?.time_before;
}

/** Transactions of earlier blocks may be forgotten. */
function timeBeforeKept(rows: CommittedRows): Seconds {
  const oldest = oldestBlock(rows);
  return oldest === 1 ? 0 : (blockRow(rows, oldest)?.time_before ?? Infinity);
}
