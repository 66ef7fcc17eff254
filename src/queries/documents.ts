import { refusals } from '../base/refusal.ts';
import type { Codec } from '../codec/codec.ts';
import { inMember, mismatch } from '../codec/decode_error.ts';
import { speaksLineage } from '../codec/encoding_options.ts';
import { describeInteger, text, u64, enumeration } from '../codec/primitives.ts';
import { integerSchema, orNull } from '../codec/schemas.ts';
import { applicationList, findLast, receivedList, sentList, type TimedDocumentList } from './document_lists.ts';
import { documentPage, type FoundDocuments, type Walk } from './document_pages.ts';
import { lineagePage, lineagePageByTime } from './lineage_document_pages.ts';
import { makeDocumentRecord, type DocumentRecord } from './records/document.ts';
import { customContents } from '../state/tables/custom_content.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { UINT64_MAX } from '../values/limits.ts';
import { GIVEN_TIME, parseTime, type Seconds } from '../values/time.ts';
import { nullable } from '../codec/nullable.ts';
import { historyPageRefusals, requireHistoryPage } from './paging.ts';
import type { ReadContext } from './read_context.ts';

const refuseType = refusals({
  unknown_search_type: {
    text: 'there is no search_type {search_type}; there are {known}',
    lineage: 'false: Unknown search type argument',
  },
});
const refuse = refusals({
  start_below_count: {
    text: 'a start of at least the count {most} expected, got {start}; ask for fewer documents',
    lineage: '{given} >= args.{count}: start must be greater than limit',
  },
});

/** The refusals of a search for documents; one for those of an application has no search type. */
export const documentRefusals = { ...refuseType.texts, ...historyPageRefusals };
export const applicationDocumentRefusals = historyPageRefusals;
/** Its further refusals to clients of the lineage: in the default dialect a page may start anywhere. */
export const lineageDocumentRefusals = refuse.texts;

/** The start of a search: a number, as text or not, or a time. */
export const startText: Codec<string, string> = {
  ...text,
  fromJson: (json) =>
    typeof json === 'number' || typeof json === 'bigint'
      ? String(json)
      : typeof json === 'string'
        ? json
        : mismatch('a number or a time', json),
  describe: ({ describesGiven = false }) =>
    describesGiven
      ? { anyOf: [integerSchema(-1n, UINT64_MAX), { type: 'string', pattern: `^(?:-1|[0-9]{1,20})$|${GIVEN_TIME}` }] }
      : { type: 'string' },
};

const searchTypes = [
  'by_sender',
  'by_sender_reverse',
  'by_sender_datetime',
  'by_sender_datetime_reverse',
  'by_recipient',
  'by_recipient_reverse',
  'by_recipient_datetime',
  'by_recipient_datetime_reverse',
] as const;

/** The search types: by sender or recipient, by number or time, in either direction. */
export const documentSearchType = enumeration(...searchTypes);

/** The search; the members are those of the methods. */
export interface DocumentSearch {
  readonly app_id: bigint;
  readonly account_name: AccountName;
  readonly search_type: string;
  /** Null for the newest documents. */
  readonly start: string | null;
  readonly count: number;
  /** The number of the first document of this page, from the page before; null on the first page. */
  readonly cursor: bigint | null;
}

/** The meaning of a search type: whose documents, by number or by time, and in which direction. */
interface SearchType {
  readonly side: 'sender' | 'recipient';
  readonly byTime: boolean;
  readonly ascending: boolean;
}

/** The documents that a search finds, at most `count` distinct numbers. */
export function searchDocuments({ rows, encoding }: ReadContext, search: DocumentSearch): FoundDocuments {
  const { app_id, account_name, count, cursor } = search;
  const type = parseSearchType(search.search_type);
  requireHistoryPage(count, 'args.count', 'CUSTOM_API_SINGLE_QUERY_LIMIT');
  const list = type.side === 'sender' ? sentList(rows, app_id, account_name) : receivedList(rows, app_id, account_name);
  if (speaksLineage(encoding) && cursor === null) return searchOfLineage(list, type, search.start ?? '', count);
  const { start, ascending } = makeWalk(list, type, search.start);
  return documentPage(list, { start: cursor ?? start, ascending }, count);
}

/**
 * Numbers ascend with time, so a search by time walks from a number too. One from the newest document walks down,
 * whatever its type.
 */
function makeWalk(list: TimedDocumentList, { byTime, ascending }: SearchType, start: string | null): Walk {
  if (start === null || start === NEWEST) return { start: list.latest, ascending: false };
  if (!byTime) return { start: requireNumber(start), ascending };
  const time = requireTime(start);
  return { start: ascending ? list.findFirst(time) : findLast(list, time), ascending };
}

function searchOfLineage(
  list: TimedDocumentList,
  { byTime, ascending }: SearchType,
  start: string,
  count: number,
): FoundDocuments {
  if (byTime) return lineagePageByTime(list, requireTime(start), count, ascending);
  if (start === NEWEST) return lineagePage(list, { start: list.latest, ascending: false }, count);
  const number = requireNumber(start);
  if (!ascending) requireFullPage(number, count, { given: 'start', count: 'count' });
  return lineagePage(list, { start: number, ascending }, count);
}

/** Stands for the newest documents. */
const NEWEST = '-1';

/** The lineage refused a start from which a descending page could not be full. */
function requireFullPage(
  start: bigint,
  count: number,
  members: { readonly given: string; readonly count: string },
): void {
  if (start < BigInt(count)) refuse.start_below_count({ start, most: count, ...members });
}

function parseSearchType(searchType: string): SearchType {
  const [, side, datetime, reverse] = /^by_(sender|recipient)(_datetime)?(_reverse)?$/.exec(searchType) ?? [];
  if (side !== 'sender' && side !== 'recipient')
    return refuseType.unknown_search_type({ search_type: searchType, known: searchTypes });
  return { side, byTime: datetime !== undefined, ascending: reverse !== undefined };
}

/**
 * Messages of an application by its own numbering: the largest numbers up to `start`, at most `limit`. Null is the
 * newest.
 */
export function applicationDocuments(
  { rows, encoding }: ReadContext,
  { app_id, start, limit }: { readonly app_id: bigint; readonly start: bigint | null; readonly limit: number },
): FoundDocuments {
  requireHistoryPage(limit, 'args.limit', 'CUSTOM_API_SINGLE_QUERY_LIMIT');
  const list = applicationList(rows, app_id);
  const walk = { start: start ?? list.latest, ascending: false };
  if (!speaksLineage(encoding)) return documentPage(list, walk, limit);
  if (start !== null) requireFullPage(start, limit, { given: 'args.start', count: 'limit' });
  return lineagePage(list, walk, limit);
}

/** The number of a document, or −1 for the newest. */
export const startNumber: Codec<bigint | null, bigint | null> = {
  ...nullable(u64),
  fromJson(json, encoding) {
    const isNewest = (json === null && !speaksLineage(encoding)) || json === -1 || json === NEWEST;
    return isNewest ? null : u64.fromJson(json, encoding);
  },
  describe(encoding) {
    if (!speaksLineage(encoding)) return orNull(describeInteger(-1n, UINT64_MAX, encoding));
    return encoding.describesGiven === true ? describeInteger(-1n, UINT64_MAX, encoding) : u64.describe(encoding);
  },
};

/** The copy with that id, which is in the last message that begins at or before it. */
export function findDocument(rows: CommittedRows, id: bigint): DocumentRecord | undefined {
  const [message] = rows.rows(customContents, { to: id, reverse: true, limit: 1 });
  const place = message === undefined ? 0 : Number(id - message.id);
  return message === undefined || place >= message.copy_count ? undefined : makeDocumentRecord(message, place);
}

function requireNumber(start: string): bigint {
  const number = /^[0-9]{1,20}$/.test(start) ? BigInt(start) : UINT64_MAX + 1n;
  return number <= UINT64_MAX ? number : inMember('start', () => mismatch('a number of a document', start));
}

function requireTime(start: string): Seconds {
  return parseTime(start) ?? inMember('start', () => mismatch('a time such as 2026-01-31T12:00:00', start));
}
