import { pair } from '../codec/collections.ts';
import { u64 } from '../codec/primitives.ts';
import type { DocumentList } from './document_lists.ts';
import { documentRecord, makeDocumentRecord, type DocumentRecord } from './records/document.ts';

/** A document with its number. */
export const numberedDocument = pair(u64, documentRecord);
export type NumberedDocument = readonly [bigint, DocumentRecord];

/** Consecutive numbers, both ends included. */
export type Numbers = readonly [lowest: bigint, highest: bigint];

/** A page of documents: ranges of numbers, whose documents are then read. */
export interface FoundDocuments {
  /** In ascending order. */
  readonly stretches: readonly Numbers[];
  /** The number of the first document of the next page; null on the last page. The lineage's pages have none. */
  readonly cursor?: bigint | null;
  /** The documents of a part of a stretch, ascending. */
  between(lowest: bigint, highest: bigint): NumberedDocument[];
}

/** A walk along the numbers of a list. */
export interface Walk {
  readonly start: bigint;
  readonly ascending: boolean;
}

/** The page of a walk. Of a message's copies, which share a number in a sender's list, the oldest is shown. */
export function documentPage(list: DocumentList, { start, ascending }: Walk, count: number): FoundDocuments {
  const { latest } = list;
  const [first, most] = [ascending ? max(start, 1n) : min(start, latest), BigInt(count)];
  const next = ascending ? min(first + most, latest + 1n) : max(first - most, 0n);
  const [lowest, highest] = ascending ? [first, next - 1n] : [next + 1n, first];
  return {
    stretches: lowest > highest ? [] : [[lowest, highest]],
    cursor: next >= 1n && next <= latest ? next : null,
    between: (from, to) =>
      list.between(from, to).map(({ number, message, place }) => [number, makeDocumentRecord(message, place ?? 0)]),
  };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
