import { refusals } from '../base/refusal.ts';
import type { Codec } from '../codec/codec.ts';
import { pair, vector } from '../codec/collections.ts';
import { inMember, misfit } from '../codec/misfit.ts';
import { text, u64 } from '../codec/primitives.ts';
import { documentRecord, documentRecordOf, type DocumentRecord } from '../state/records/document.ts';
import { customContents, type CustomContent } from '../state/tables/custom_content.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { UINT64_MAX } from '../values/limits.ts';
import { parseTime, type Seconds } from '../values/time.ts';
import { historyPageRefusals, requireHistoryPage } from './paging.ts';

const refuse = refusals({
  unknown_search_type: 'false: Unknown search type argument',
  start_below_count: '{given} >= args.{count}: start must be greater than limit',
});

/** What a search for documents may refuse; one for those of an application has no search type. */
export const documentRefusals = { ...refuse.texts, ...historyPageRefusals };
export const applicationDocumentRefusals = { start_below_count: refuse.texts.start_below_count, ...historyPageRefusals };

/** A document with its number. */
export const numberedDocument = pair(u64, documentRecord);
/** Documents with their numbers, ascending. */
export const numberedDocuments = vector(numberedDocument);
export type NumberedDocument = readonly [bigint, DocumentRecord];

/** Where a search starts: a number as text or as it is, or a time. */
export const startText: Codec<string> = {
  ...text,
  fromJson: (json) =>
    typeof json === 'number' || typeof json === 'bigint'
      ? String(json)
      : typeof json === 'string'
        ? json
        : misfit('a number or a time', json),
};

/** What is searched for; the members are those of the methods. */
export interface DocumentSearch {
  readonly app_id: bigint;
  readonly account_name: AccountName;
  readonly search_type: string;
  readonly start: string;
  readonly count: number;
}

/** How a search type walks: over whose documents, by number or by time, and in which direction. */
interface Walk {
  readonly side: 'sender' | 'recipient';
  readonly byTime: boolean;
  readonly ascending: boolean;
}

/** The documents that a search finds, `count` different numbers at the most (rpc.md 6.5). */
export function searchDocuments(rows: CommittedRows, search: DocumentSearch): NumberedDocument[] {
  const walk = walkOf(search.search_type);
  requireHistoryPage(search.count, 'args.count', 'CUSTOM_API_SINGLE_QUERY_LIMIT');
  return walk.byTime ? byTime(rows, search, walk) : byNumber(rows, search, walk);
}

function walkOf(searchType: string): Walk {
  const [, side, datetime, reverse] = /^by_(sender|recipient)(_datetime)?(_reverse)?$/.exec(searchType) ?? [];
  if (side !== 'sender' && side !== 'recipient') return refuse.unknown_search_type({ search_type: searchType });
  return { side, byTime: datetime !== undefined, ascending: reverse !== undefined };
}

function byNumber(
  rows: CommittedRows,
  { app_id, account_name, start, count }: DocumentSearch,
  { side, ascending }: Walk,
): NumberedDocument[] {
  const number = requireNumber(start);
  if (!ascending && number < BigInt(count)) refuse.start_below_count({ given: 'start', count: 'count' });
  const order = side === 'sender' ? customContents.by_sender : customContents.by_recipient;
  const all: [AccountName, bigint] = [account_name, app_id];
  const edge: [AccountName, bigint, bigint] = [...all, number];
  const stretch = ascending ? { from: edge, to: all } : { from: all, to: edge, reverse: true };
  return collect(count, sequenceOf(side), (limit) => rows.range(order, { ...stretch, limit }));
}

function byTime(
  rows: CommittedRows,
  { app_id, account_name, start, count }: DocumentSearch,
  { side, ascending }: Walk,
): NumberedDocument[] {
  const time = requireTime(start);
  const order = side === 'sender' ? customContents.by_sender_time : customContents.by_recipient_time;
  const all: [AccountName, bigint] = [account_name, app_id];
  const edge: [AccountName, bigint, Seconds] = [...all, time];
  const stretch = ascending ? { from: edge, to: all } : { from: all, to: edge, reverse: true };
  return collect(count, sequenceOf(side), (limit) => rows.range(order, { ...stretch, limit }));
}

/** Messages of an application by its own count: the largest numbers up to `start`, `limit` at the most. */
export function applicationDocuments(rows: CommittedRows, app_id: bigint, start: bigint, limit: number): NumberedDocument[] {
  requireHistoryPage(limit, 'args.limit', 'CUSTOM_API_SINGLE_QUERY_LIMIT');
  if (start < BigInt(limit)) refuse.start_below_count({ given: 'args.start', count: 'limit' });
  return collect(limit, applicationSequence, (rowLimit) =>
    rows.range(customContents.by_app_id, { from: [app_id], to: [app_id, start], reverse: true, limit: rowLimit }),
  );
}

function applicationSequence(content: CustomContent): bigint {
  return content.app_message_sequence;
}

function sequenceOf(side: Walk['side']): (content: CustomContent) => bigint {
  return side === 'sender' ? (content) => content.sender_sequence : (content) => content.recipient_sequence;
}

/**
 * One document for each number: a message to many is one row for each recipient, and only the first is shown. Walks in
 * growing steps because it can't be known how many rows have the same number.
 */
function collect(
  count: number,
  numberOf: (content: CustomContent) => bigint,
  walk: (limit: number) => CustomContent[],
): NumberedDocument[] {
  const found = new Map<bigint, CustomContent>();
  for (let limit = count; found.size < count; limit *= 4) {
    const contents = walk(limit);
    for (const content of contents) {
      if (found.size < count && !found.has(numberOf(content))) found.set(numberOf(content), content);
    }
    if (contents.length < limit) break;
  }
  return numbered(found);
}

function numbered(found: ReadonlyMap<bigint, CustomContent>): NumberedDocument[] {
  const ascending = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return ascending.map(([number, content]) => [number, documentRecordOf(content)]);
}

function requireNumber(start: string): bigint {
  const number = /^[0-9]{1,20}$/.test(start) ? BigInt(start) : UINT64_MAX + 1n;
  return number <= UINT64_MAX ? number : inMember('start', () => misfit('a number of a document', start));
}

function requireTime(start: string): Seconds {
  return parseTime(start) ?? inMember('start', () => misfit('a time such as 2026-01-31T12:00:00', start));
}
