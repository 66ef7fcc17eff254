import { present } from '../base/assert.ts';
import type { Codec } from '../codec/codec.ts';
import { describeInteger, integerFromJson, u32 } from '../codec/primitives.ts';
import { accountHistories, type AccountHistory } from '../state/tables/account_history.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { oldestBlock } from '../state/stored_blocks.ts';
import { BlockOperations, type NumberedEntry } from './history_entry.ts';
import { refusePruned } from './pruned.ts';

/** Stands for the newest entry. */
const NEWEST = -1;
/** The newest entry, for clients that send −1 as an unsigned 32-bit number. */
const NEWEST_UNSIGNED = 0xffff_ffff;

/** An account, and the number of its first entry by the rules of the chain. */
export interface HistoryOf {
  readonly account: AccountName;
  readonly firstSequence: number;
}

/** The sequences of a part of a history: none when the last is before the first. */
export interface Sequences {
  readonly first: number;
  readonly last: number;
}

const noSequences: Sequences = { first: 0, last: -1 };

/**
 * Sequences from `start − limit` to `start`; fewer where the history is shorter, or where its beginning is not kept. −1
 * is the newest. Refused when not even the last of them is kept.
 */
export function walkHistoryBackward(rows: CommittedRows, of: HistoryOf, start: number, limit: number): Sequences {
  const end = isNewest(start) ? undefined : start;
  const found = keptSequences(rows, of, end, (newest) => (end ?? newest) - limit);
  if (found === noSequences) refuseIfPruned(rows, of, end, limit);
  return found;
}

/**
 * `limit` sequences from `start` on; the newest `limit` ones for −1, none when there is no entry `start`. Refused if it
 * isn't kept.
 */
export function walkHistoryForward(rows: CommittedRows, of: HistoryOf, start: number, limit: number): Sequences {
  if (limit === 0) return noSequences;
  const end = isNewest(start) ? undefined : Math.min(start + limit - 1, NEWEST_UNSIGNED);
  const found = keptSequences(rows, of, end, (last) => (end === undefined ? last - limit + 1 : start));
  if (found !== noSequences && (end === undefined || found.first === start)) return found;
  refuseIfPruned(rows, of, end === undefined ? undefined : start, 0);
  return noSequences;
}

/** The entries with these sequences, ascending; without those that are not kept any more. */
export function historyEntries(rows: CommittedRows, account: AccountName, { first, last }: Sequences): NumberedEntry[] {
  const oldest = oldestBlock(rows);
  const found: AccountHistory[] = [];
  for (const row of last < first ? [] : rowsDown(rows, account, last)) {
    if (endSequence(row) < first || row.block < oldest) break;
    found.push(row);
    if (row.first_sequence <= first) break;
  }
  return sliceEntries(rows, found.toReversed(), first, last);
}

/**
 * Those up to `end`, or up to the newest one if that is older, starting at what `firstOf` returns for the last of them.
 */
function keptSequences(
  rows: CommittedRows,
  { account, firstSequence }: HistoryOf,
  end: number | undefined,
  firstOf: (last: number) => number,
): Sequences {
  const newest = newestRow(rows, account);
  if (newest === undefined) return noSequences;
  const oldest = oldestBlock(rows);
  // Rows of blocks that are no longer kept are removed later than the blocks.
  const kept = oldest === 1 ? firstSequence : (oldestEntry(rows, account, newest, oldest) ?? Infinity);
  const last = Math.min(end ?? Infinity, endSequence(newest));
  const first = Math.max(kept, firstOf(last));
  return first > last ? noSequences : { first, last };
}

/** Refuses entries of which the last, `end` or the newest one before it, is no longer kept. */
function refuseIfPruned(
  rows: CommittedRows,
  { account, firstSequence }: HistoryOf,
  end: number | undefined,
  limit: number,
): void {
  const oldest = oldestBlock(rows);
  const newest = oldest === 1 ? undefined : newestRow(rows, account);
  if (newest === undefined) return;
  const asked = Math.min(end ?? Infinity, endSequence(newest));
  const kept = oldestEntry(rows, account, newest, oldest);
  if (asked < firstSequence || (end !== undefined && end - limit > asked) || (kept !== undefined && asked >= kept))
    return;
  const place = kept === undefined ? '' : ` (its oldest entry that is kept is ${kept})`;
  refusePruned(
    rows,
    `entry ${asked} of the history of ${account}${place}`,
    kept === undefined ? {} : { oldest_entry: kept },
  );
}

/**
 * The sequence of the first entry in a block that is kept. A search by halves: there may be millions of rows that wait
 * for their removal.
 */
function oldestEntry(
  rows: CommittedRows,
  account: AccountName,
  newest: AccountHistory,
  oldest: number,
): number | undefined {
  if (newest.block < oldest) return undefined;
  let [low, high] = [0, newest.first_sequence];
  while (low < high) {
    const middle = low + Math.trunc((high - low) / 2);
    const row = findRow(rows, account, middle) ?? newest;
    if (row.block < oldest) low = row.first_sequence + 1;
    else high = middle;
  }
  return (findRow(rows, account, low) ?? newest).first_sequence;
}

/**
 * The first row of an account's history in that block or a later one; undefined when nothing has concerned it since.
 */
export function findLaterHistory(rows: CommittedRows, account: AccountName, block: number): AccountHistory | undefined {
  const newest = newestRow(rows, account);
  const first = newest && oldestEntry(rows, account, newest, block);
  return first === undefined ? undefined : findRow(rows, account, first);
}

/** The row behind another one in the same history. */
export function followingHistory(rows: CommittedRows, row: AccountHistory): AccountHistory | undefined {
  return findRow(rows, row.account, endSequence(row) + 1);
}

/** The sequence of the newest entry; undefined where there is none. */
export function newestSequence(rows: CommittedRows, account: AccountName): number | undefined {
  const newest = newestRow(rows, account);
  return newest && endSequence(newest);
}

function newestRow(rows: CommittedRows, account: AccountName): AccountHistory | undefined {
  return rows.rows(accountHistories, { from: { account }, to: { account }, reverse: true, limit: 1 })[0];
}

/** The first row of an account at that sequence or after it. */
function findRow(rows: CommittedRows, account: AccountName, first_sequence: number): AccountHistory | undefined {
  return rows.rows(accountHistories, { from: { account, first_sequence }, to: { account }, limit: 1 })[0];
}

/** True when a start stands for the newest entry. */
export function isNewest(start: number): boolean {
  return start < 0 || start === NEWEST_UNSIGNED;
}

/** The sequence of the last entry of a row. */
function endSequence({ first_sequence, entries }: AccountHistory): number {
  return first_sequence + entries.length - 1;
}

/**
 * The first read takes one row, and a read at most this many: a row has one entry or hundreds, which is not known in
 * advance.
 */
const FIRST_ROWS = 1;
const MOST_ROWS = 1024;

/** The rows of an account, from the one that contains `end` down to the first. */
function* rowsDown(rows: CommittedRows, account: AccountName, end: number): Generator<AccountHistory> {
  let to = { account, first_sequence: end };
  for (let limit = FIRST_ROWS; ; limit = Math.min(limit * 4, MOST_ROWS)) {
    const page = rows.rows(accountHistories, { from: { account }, to, reverse: true, limit });
    yield* page;
    const lowest = page[limit - 1];
    if (lowest === undefined || lowest.first_sequence === 0) return;
    to = { account, first_sequence: lowest.first_sequence - 1 };
  }
}

function sliceEntries(
  rows: CommittedRows,
  found: readonly AccountHistory[],
  first: number,
  last: number,
): NumberedEntry[] {
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
export const historyStart: Codec<number, number> = {
  ...u32,
  fromJson: (json) => Number(integerFromJson(json, BigInt(NEWEST), BigInt(NEWEST_UNSIGNED))),
  describe: (encoding) => describeInteger(BigInt(NEWEST), BigInt(NEWEST_UNSIGNED), encoding),
};
