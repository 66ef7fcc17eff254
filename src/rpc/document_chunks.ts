import type { FoundDocuments, NumberedDocument } from '../queries/document_pages.ts';
import type { Call } from './services.ts';
import { Chunks } from './chunks.ts';

/** Explains the params of a search in the doc of its method. */
export const searchDoc =
  'by_sender and by_recipient take a number as start and go down from it, with _datetime a time; the same with _reverse go up. ' +
  'Start −1 or no start is the newest document, from which every search goes down.';

/**
 * This many of the largest documents take about a millisecond; each few walk down to their branches of the recipient's
 * tree once more.
 */
const AT_ONCE = 32n;

/** The documents that a search has found. */
export function documentsInChunks(
  { rows }: Pick<Call, 'rows'>,
  { stretches, between }: Pick<FoundDocuments, 'stretches' | 'between'>,
): Chunks<NumberedDocument> {
  let stretch = 0;
  let next = stretches[0]?.[0] ?? 0n;
  return new Chunks(() => {
    const highest = stretches[stretch]?.[1];
    if (highest === undefined) return undefined;
    const lowest = next;
    const last = lowest + AT_ONCE - 1n < highest ? lowest + AT_ONCE - 1n : highest;
    const isOver = last === highest;
    if (isOver) stretch++;
    next = isOver ? (stretches[stretch]?.[0] ?? 0n) : last + 1n;
    return rows.consistentRead(() => between(lowest, last));
  });
}
