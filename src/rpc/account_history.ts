import type { Codec } from '../codec/codec.ts';
import { integerFromJson, u32 } from '../codec/primitives.ts';
import { accountHistories, type AccountHistory } from '../state/tables/account_history.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { BlockOperations, type NumberedEntry } from './history_entry.ts';

/** What stands for the newest entry. */
const NEWEST = -1;
/** The newest entry of those who send −1 as 32 bits. */
const NEWEST_UNSIGNED = 0xffff_ffff;

/** Entries with sequences from `start − limit` to `start`, ascending; fewer where the history is shorter. −1 is the newest. */
export function historyUpTo(rows: CommittedRows, account: AccountName, start: number, limit: number): NumberedEntry[] {
  const newest = newestSequence(rows, account);
  if (newest === undefined) return [];
  const last = isNewest(start) ? newest : Math.min(start, newest);
  return entriesBetween(rows, account, Math.max(0, last - limit), last);
}

/** `limit` entries from `start` on, ascending; the newest `limit` ones for −1, none when there is no entry `start`. */
export function historyFrom(rows: CommittedRows, account: AccountName, start: number, limit: number): NumberedEntry[] {
  const newest = newestSequence(rows, account);
  if (newest === undefined || limit === 0) return [];
  if (isNewest(start)) return entriesBetween(rows, account, Math.max(0, newest - limit + 1), newest);
  const entries = entriesBetween(rows, account, start, Math.min(newest, start + limit - 1));
  return entries[0]?.[0] === start ? entries : [];
}

function isNewest(start: number): boolean {
  return start < 0 || start === NEWEST_UNSIGNED;
}

function newestSequence(rows: CommittedRows, account: AccountName): number | undefined {
  const [last] = rows.rows(accountHistories, { from: { account }, to: { account }, reverse: true, limit: 1 });
  return last === undefined ? undefined : last.first_sequence + last.entries.length - 1;
}

function entriesBetween(rows: CommittedRows, account: AccountName, first: number, last: number): NumberedEntry[] {
  const blocks = new Map<number, BlockOperations>();
  const entries: NumberedEntry[] = [];
  for (const { block, first_sequence, entries: pointers } of rowsBetween(rows, account, first, last)) {
    const operations = blocks.get(block) ?? new BlockOperations(rows, block);
    blocks.set(block, operations);
    for (const [k, pointer] of pointers.entries()) {
      const sequence = first_sequence + k;
      if (sequence >= first && sequence <= last) entries.push([sequence, operations.at(pointer)]);
    }
  }
  return entries;
}

/** A row holds the entries of one block, so the first one may begin before `first`. */
function rowsBetween(rows: CommittedRows, account: AccountName, first: number, last: number): AccountHistory[] {
  const to = { account, first_sequence: last };
  const found = rows.rows(accountHistories, { from: { account }, to, reverse: true, limit: last - first + 1 });
  return found.filter(({ first_sequence, entries }) => first_sequence + entries.length > first).toReversed();
}

/** A sequence number, or −1 for the newest entry. */
export const historyStart: Codec<number> = {
  ...u32,
  fromJson: (json) => Number(integerFromJson(json, BigInt(NEWEST), BigInt(NEWEST_UNSIGNED))),
  describe: () => ({ type: 'integer', minimum: NEWEST, maximum: NEWEST_UNSIGNED }),
};
