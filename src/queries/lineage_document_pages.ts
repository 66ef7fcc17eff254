import type { FoundDocuments, Numbers, Walk } from './document_pages.ts';
import { findLast, type DocumentList, type TimedDocumentList } from './document_lists.ts';
import { makeDocumentRecord } from './records/document.ts';
import type { Seconds } from '../values/time.ts';

// The pages that the lineage's clients know (chain_rules.md#searching-documents): documents of a block have no order by
// number there, so a page that ends within a block has others of it, and the id of a message's copy depends on where
// the page ends. There is no cursor.

/** The result of a walk: ranges of numbers in ascending order, and the number at which the page was full, if it was. */
interface Page {
  readonly stretches: readonly Numbers[];
  readonly last: bigint | undefined;
}

/** The page of a search by number. */
export function lineagePage(list: DocumentList, { start, ascending }: Walk, count: number): FoundDocuments {
  return shown(list, ascending ? pageUp(list, start, count) : pageDown(list, start, count), ascending);
}

/** The page of a search by time. */
export function lineagePageByTime(
  list: TimedDocumentList,
  time: Seconds,
  count: number,
  ascending: boolean,
): FoundDocuments {
  return shown(list, ascending ? pageForward(list, time, count) : pageBackward(list, time, count), ascending);
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

/**
 * Later times first, but documents of the same time in ascending order: a page that ends among those has the first of
 * them.
 */
function pageBackward(list: TimedDocumentList, time: Seconds, count: number): Page {
  const highest = findLast(list, time);
  const down = pageDown(list, highest, count);
  const cut = down.last === undefined ? undefined : findReceived(list, down.last);
  if (down.last === undefined || cut === undefined) return down;
  const last = cut.first + (cut.last - down.last);
  return page(count, last, [cut.first, last], [cut.last + 1n, highest]);
}

/** Earlier times first, but documents of the same time in descending order. */
function pageForward(list: TimedDocumentList, time: Seconds, count: number): Page {
  const lowest = list.findFirst(time);
  const up = pageUp(list, lowest, count);
  const cut = up.last === undefined ? undefined : findReceived(list, up.last);
  if (up.last === undefined || cut === undefined) return up;
  const last = cut.last - (up.last - cut.first);
  return page(count, last, [lowest, cut.first - 1n], [last, cut.last]);
}

function page(count: number, last: bigint, ...stretches: readonly Numbers[]): Page {
  return count === 0 ? NOTHING : { stretches, last };
}

/** The numbers of all documents received at the same time as this one, which are those of its block. */
function findReceived(
  list: TimedDocumentList,
  number: bigint,
): { readonly first: bigint; readonly last: bigint } | undefined {
  const [document] = list.between(number, number);
  if (document === undefined) return undefined;
  const { received } = document.message;
  return { first: list.findFirst(received), last: findLast(list, received) };
}

/**
 * A walk visits all copies of a message, and the last one visited is shown. Copies are visited in the order of their
 * ids, or in reverse where the search ascends, and of the message that fills the page only the first copy is visited.
 */
function shown(list: DocumentList, found: Page, ascending: boolean): FoundDocuments {
  return {
    stretches: found.stretches.filter(([lowest, highest]) => lowest <= highest),
    between: (lowest, highest) =>
      list.between(lowest, highest).map(({ number, message, place }) => {
        const isFirst = ascending !== (number === found.last);
        return [number, makeDocumentRecord(message, place ?? (isFirst ? 0 : message.copy_count - 1))];
      }),
  };
}
