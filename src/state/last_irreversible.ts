import type { CommittedRows } from '../storage/rows.ts';
import { headRecordOf } from './head_record.ts';

/**
 * The number of the last irreversible block. Everybody who tells it reads it here: RPC, peers, sinks, subscriptions, metrics, pages,
 * export. It never falls, except when an operator has a development chain revert. The row of the state has another number, which
 * depends on the branch and may fall.
 */
export function lastIrreversible(rows: Pick<CommittedRows, 'getPlaces'>): number {
  return headRecordOf(rows).irreversible_number;
}
