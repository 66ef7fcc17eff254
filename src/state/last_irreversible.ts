import type { CommittedRows } from '../storage/rows.ts';
import { numberConfirmed } from './confirmed_number.ts';
import { readHeadRecord } from './head_record.ts';
import { dynamicGlobalProperties } from './tables/dynamic_global_property.ts';

/**
 * The number of the last irreversible block. Everybody who tells it reads it here: RPC, peers, sinks, subscriptions,
 * metrics, pages, export. It never falls, except when an operator has a development chain revert. The row of the state
 * has another number, which depends on the branch and may fall.
 */
export function lastIrreversible(rows: Pick<CommittedRows, 'getPlaces'>): number {
  return readHeadRecord(rows).irreversible_number;
}

/**
 * The number of the last block that this node can't replace: the last irreversible one, or a later one of which it has
 * no undo record. Under finality imported blocks are such before a certificate is here.
 */
export function lastSettled(rows: Pick<CommittedRows, 'getPlaces'>): number {
  const { irreversible_number, oldest_undo } = readHeadRecord(rows);
  return Math.max(irreversible_number, oldest_undo - 1);
}

/**
 * The last block that confirmations of witnesses name on the branch of the head. Where votes make blocks final, it is
 * for people alone.
 */
export function lastConfirmed(rows: Pick<CommittedRows, 'only'>): number {
  return numberConfirmed(rows.only(dynamicGlobalProperties).last_irreversible_block_num);
}

/** The same beside the irreversible number; undefined where confirmations make blocks irreversible. */
export function confirmedBesideFinality(
  rows: Pick<CommittedRows, 'only'>,
  { hasFinality }: { readonly hasFinality: boolean },
): number | undefined {
  return hasFinality ? lastConfirmed(rows) : undefined;
}
