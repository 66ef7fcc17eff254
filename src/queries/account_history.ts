import { present } from '../base/assert.ts';
import type { Codec } from '../codec/codec.ts';
import { integerFromJson, u32 } from '../codec/primitives.ts';
import { accountHistories, type AccountHistory } from '../state/tables/account_history.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { BlockOperations, type NumberedEntry } from './history_entry.ts';

/** Stands for the newest entry. */
const NEWEST = -1;
/** The newest entry, for clients that send −1 as an unsigned 32-bit number. */
const NEWEST_UNSIGNED = 0xffff_ffff;

/** Entries with sequences from `start − limit` to `start`, ascending; fewer where the history is shorter. −1 is the newest. */
export function historyUpTo(rows: CommittedRows, account: AccountName, start: number, limit: number): NumberedEntry[] {
  if (isNewest(start)) return entriesUpTo(rows, account, undefined, (newest) => newest - limit);
  return entriesUpTo(rows, account, start, () => start - limit);
}

/** `limit` entries from `start` on, ascending; the newest `limit` ones for −1, none when there is no entry `start`. */
export function historyFrom(rows: CommittedRows, account: AccountName, start: number, limit: number): NumberedEntry[] {
  if (limit === 0) return [];
  if (isNewest(start)) return entriesUpTo(rows, account, undefined, (last) => last - limit + 1);
  const entries = entriesUpTo(rows, account, Math.min(start + limit - 1, NEWEST_UNSIGNED), () => start);
  return entries[0]?.[0] === start ? entries : [];
}

function isNewest(start: number): boolean {
  return start < 0 || start === NEWEST_UNSIGNED;
}

/** Entries up to `end`, or up to the newest one if that is older, starting at what `firstOf` returns for the last of them. */
function entriesUpTo(
  rows: CommittedRows,
  account: AccountName,
  end: number | undefined,
  firstOf: (last: number) => number,
): NumberedEntry[] {
  const found: AccountHistory[] = [];
  let [first, last] = [0, -1];
  for (const row of rowsDown(rows, account, end)) {
    if (last < 0) {
      last = Math.min(end ?? Infinity, endOf(row));
      first = firstOf(last);
    }
    if (endOf(row) < first) break;
    found.push(row);
    if (row.first_sequence <= first) break;
  }
  return entriesBetween(rows, found.toReversed(), first, last);
}

/** The sequence of the last entry of a row. */
function endOf({ first_sequence, entries }: AccountHistory): number {
  return first_sequence + entries.length - 1;
}

/** How many rows are read at first, and at most at once: a row has one entry or hundreds, which is not known in advance. */
const FIRST_ROWS = 1;
const MOST_ROWS = 1024;

/** The rows of an account, from the one that contains `end` down to the first. */
function* rowsDown(rows: CommittedRows, account: AccountName, end: number | undefined): Generator<AccountHistory> {
  let to: { readonly account: AccountName; readonly first_sequence?: number } =
    end === undefined ? { account } : { account, first_sequence: end };
  for (let limit = FIRST_ROWS; ; limit = Math.min(limit * 4, MOST_ROWS)) {
    const page = rows.rows(accountHistories, { from: { account }, to, reverse: true, limit });
    yield* page;
    const lowest = page[limit - 1];
    if (lowest === undefined || lowest.first_sequence === 0) return;
    to = { account, first_sequence: lowest.first_sequence - 1 };
  }
}

function entriesBetween(rows: CommittedRows, found: readonly AccountHistory[], first: number, last: number): NumberedEntry[] {
  const blocks = new Map<number, BlockOperations>();
  const entries: NumberedEntry[] = [];
  for (const { block, first_sequence, entries: pointers } of found) {
    const operations = blocks.get(block) ?? new BlockOperations(rows, block);
    blocks.set(block, operations);
    const end = Math.min(pointers.length, last - first_sequence + 1);
    for (let k = Math.max(0, first - first_sequence); k < end; k++) {
      entries.push([first_sequence + k, operations.at(present(pointers[k], 'a pointer'))]);
    }
  }
  return entries;
}

/** A sequence number, or −1 for the newest entry. */
export const historyStart: Codec<number> = {
  ...u32,
  fromJson: (json) => Number(integerFromJson(json, BigInt(NEWEST), BigInt(NEWEST_UNSIGNED))),
  describe: () => ({ type: 'integer', minimum: NEWEST, maximum: NEWEST_UNSIGNED }),
};
