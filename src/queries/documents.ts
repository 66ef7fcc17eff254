import { refusals } from '../base/refusal.ts';
import type { Codec } from '../codec/codec.ts';
import { pair } from '../codec/collections.ts';
import { inMember, mismatch } from '../codec/decode_error.ts';
import { speaksLineage, type Notation } from '../codec/notation.ts';
import { text, u64 } from '../codec/primitives.ts';
import { applicationList, receivedList, sentList, type DocumentList, type TimedDocumentList } from './document_lists.ts';
import { documentRecord, documentRecordOf, type DocumentRecord } from './records/document.ts';
import { customContents } from '../state/tables/custom_content.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { NEVER, UINT64_MAX } from '../values/limits.ts';
import { parseTime, type Seconds } from '../values/time.ts';
import { nullable } from '../codec/nullable.ts';
import { historyPageRefusals, requireHistoryPage } from './paging.ts';
import type { ReadContext } from './read_context.ts';

const refuse = refusals({
  unknown_search_type: {
    text: 'there is no search_type {search_type}; there are {known}',
    lineage: 'false: Unknown search type argument',
  },
  start_below_count: {
    text: 'a start of at least the count {most} expected, got {start}; ask for fewer documents',
    lineage: '{given} >= args.{count}: start must be greater than limit',
  },
});

/** What a search for documents may refuse; one for those of an application has no search type. */
export const documentRefusals = { ...refuse.texts, ...historyPageRefusals };
export const applicationDocumentRefusals = { start_below_count: refuse.texts.start_below_count, ...historyPageRefusals };

/** A document with its number. */
export const numberedDocument = pair(u64, documentRecord);
export type NumberedDocument = readonly [bigint, DocumentRecord];

/** Where a search starts: a number, as text or not, or a time. */
export const startText: Codec<string, string> = {
  ...text,
  fromJson: (json) =>
    typeof json === 'number' || typeof json === 'bigint'
      ? String(json)
      : typeof json === 'string'
        ? json
        : mismatch('a number or a time', json),
};

/** The search; the members are those of the methods. */
export interface DocumentSearch {
  readonly app_id: bigint;
  readonly account_name: AccountName;
  readonly search_type: string;
  /** Null for the end at which the search begins. */
  readonly start: string | null;
  readonly count: number;
}

/** What a search type walks: whose documents, by number or by time, and in which direction. */
interface Walk {
  readonly side: 'sender' | 'recipient';
  readonly byTime: boolean;
  readonly ascending: boolean;
}

/** What a search has found: ranges of numbers, whose documents are then read. */
export interface FoundDocuments {
  /** Consecutive numbers in ascending order, both ends included. */
  readonly stretches: readonly Numbers[];
  /** The documents of a part of a stretch, ascending. */
  between(lowest: bigint, highest: bigint): NumberedDocument[];
}

/** The documents that a search finds, at most `count` distinct numbers (chain.md 13.2). */
export function searchDocuments({ rows, notation }: ReadContext, search: DocumentSearch): FoundDocuments {
  const { side, byTime, ascending } = walkOf(search.search_type);
  const { app_id, account_name, count } = search;
  const start = search.start ?? (speaksLineage(notation) ? '' : null);
  requireHistoryPage(count, 'args.count', 'CUSTOM_API_SINGLE_QUERY_LIMIT');
  const list = side === 'sender' ? sentList(rows, app_id, account_name) : receivedList(rows, app_id, account_name);
  if (byTime) {
    const time = start === null ? (ascending ? 0 : NEVER) : requireTime(start);
    return shown(list, ascending ? pageSince(list, time, count) : pageUntil(list, time, count), ascending);
  }
  const isNewest = start === NEWEST || (start === null && !ascending);
  if (isNewest) return shown(list, pageDown(list, list.latest, count), false);
  const number = start === null ? 1n : requireNumber(start);
  if (ascending) return shown(list, pageUp(list, number, count), true);
  requireFullPage(notation, number, count, { given: 'start', count: 'count' });
  return shown(list, pageDown(list, number, count), false);
}

/** Stands for the newest documents. */
const NEWEST = '-1';

/** The lineage refused a start from which a descending page could not be full. */
function requireFullPage(
  notation: Notation,
  start: bigint,
  count: number,
  members: { readonly given: string; readonly count: string },
): void {
  if (speaksLineage(notation) && start < BigInt(count)) refuse.start_below_count({ start, most: count, ...members });
}

const searchTypes = ['by_sender', 'by_recipient'].flatMap((side) => [
  side,
  `${side}_reverse`,
  `${side}_datetime`,
  `${side}_datetime_reverse`,
]);

function walkOf(searchType: string): Walk {
  const [, side, datetime, reverse] = /^by_(sender|recipient)(_datetime)?(_reverse)?$/.exec(searchType) ?? [];
  if (side !== 'sender' && side !== 'recipient') return refuse.unknown_search_type({ search_type: searchType, known: searchTypes });
  return { side, byTime: datetime !== undefined, ascending: reverse !== undefined };
}

/** Messages of an application by its own numbering: the largest numbers up to `start`, at most `limit`. Null is the newest. */
export function applicationDocuments(
  { rows, notation }: ReadContext,
  { app_id, start, limit }: { readonly app_id: bigint; readonly start: bigint | null; readonly limit: number },
): FoundDocuments {
  requireHistoryPage(limit, 'args.limit', 'CUSTOM_API_SINGLE_QUERY_LIMIT');
  const list = applicationList(rows, app_id);
  if (start !== null) requireFullPage(notation, start, limit, { given: 'args.start', count: 'limit' });
  return shown(list, pageDown(list, start ?? list.latest, limit), false);
}

/** The number of a document, or −1 for the newest. */
export const startNumber: Codec<bigint | null, bigint | null> = {
  ...nullable(u64),
  fromJson(json, notation) {
    const isNewest = (json === null && !speaksLineage(notation)) || json === -1 || json === NEWEST;
    return isNewest ? null : u64.fromJson(json, notation);
  },
  describe: (notation) => ({ ...u64.describe(notation), description: 'the number of a document, from 1; -1 is the newest' }),
};

/** The copy with that id, which is in the last message that begins at or before it. */
export function documentWith(rows: CommittedRows, id: bigint): DocumentRecord | undefined {
  const [message] = rows.rows(customContents, { to: id, reverse: true, limit: 1 });
  const place = message === undefined ? 0 : Number(id - message.id);
  return message === undefined || place >= message.copy_count ? undefined : documentRecordOf(message, place);
}

/** Consecutive numbers, both ends included. */
export type Numbers = readonly [lowest: bigint, highest: bigint];

/** The result of a walk: ranges of numbers in ascending order, and the number at which the page was full, if it was. */
interface Page {
  readonly stretches: readonly Numbers[];
  readonly last: bigint | undefined;
}

const NOTHING: Page = { stretches: [], last: undefined };

function pageUp({ latest }: DocumentList, start: bigint, count: number): Page {
  const lowest = start > 1n ? start : 1n;
  const last = lowest + BigInt(count) - 1n;
  return last <= latest ? page(count, last, [lowest, last]) : { stretches: [[lowest, latest]], last: undefined };
}

function pageDown({ latest }: DocumentList, start: bigint, count: number): Page {
  const highest = start < latest ? start : latest;
  const last = highest - BigInt(count) + 1n;
  return last >= 1n ? page(count, last, [last, highest]) : { stretches: [[1n, highest]], last: undefined };
}

/** Later times first, but documents of the same time in ascending order: a page that ends among those has the first of them. */
function pageUntil(list: TimedDocumentList, time: Seconds, count: number): Page {
  const highest = lastUntil(list, time);
  const down = pageDown(list, highest, count);
  const cut = down.last === undefined ? undefined : receivedWith(list, down.last);
  if (down.last === undefined || cut === undefined) return down;
  const last = cut.first + (cut.last - down.last);
  return page(count, last, [cut.first, last], [cut.last + 1n, highest]);
}

/** Earlier times first, but documents of the same time in descending order. */
function pageSince(list: TimedDocumentList, time: Seconds, count: number): Page {
  const lowest = list.firstSince(time);
  const up = pageUp(list, lowest, count);
  const cut = up.last === undefined ? undefined : receivedWith(list, up.last);
  if (up.last === undefined || cut === undefined) return up;
  const last = cut.last - (up.last - cut.first);
  return page(count, last, [lowest, cut.first - 1n], [last, cut.last]);
}

function page(count: number, last: bigint, ...stretches: readonly Numbers[]): Page {
  return count === 0 ? NOTHING : { stretches, last };
}

/** The numbers of all documents received at the same time as this one, which are those of its block. */
function receivedWith(list: TimedDocumentList, number: bigint): { readonly first: bigint; readonly last: bigint } | undefined {
  const [document] = list.between(number, number);
  if (document === undefined) return undefined;
  const { received } = document.message;
  return { first: list.firstSince(received), last: lastUntil(list, received) };
}

function lastUntil(list: TimedDocumentList, time: Seconds): bigint {
  return time === NEVER ? list.latest : list.firstSince(time + 1) - 1n;
}

/**
 * A walk visits all copies of a message, and the last one visited is shown. Copies are visited in the order of their ids, or in reverse
 * where the search ascends, and of the message that fills the page only the first copy is visited.
 */
function shown(list: DocumentList, found: Page, ascending: boolean): FoundDocuments {
  return {
    stretches: found.stretches.filter(([lowest, highest]) => lowest <= highest),
    between: (lowest, highest) =>
      list.between(lowest, highest).map(({ number, message, place }) => {
        const isFirst = ascending !== (number === found.last);
        return [number, documentRecordOf(message, place ?? (isFirst ? 0 : message.copy_count - 1))];
      }),
  };
}

function requireNumber(start: string): bigint {
  const number = /^[0-9]{1,20}$/.test(start) ? BigInt(start) : UINT64_MAX + 1n;
  return number <= UINT64_MAX ? number : inMember('start', () => mismatch('a number of a document', start));
}

function requireTime(start: string): Seconds {
  return parseTime(start) ?? inMember('start', () => mismatch('a time such as 2026-01-31T12:00:00', start));
}
