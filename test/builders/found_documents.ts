import * as documents from '../../src/queries/documents.ts';
import type { FoundDocuments, NumberedDocument } from '../../src/queries/documents.ts';

/** All documents that a search finds. */
export function searchDocuments(...asked: Parameters<typeof documents.searchDocuments>): NumberedDocument[] {
  return allOf(documents.searchDocuments(...asked));
}

/** The same for those of an application. */
export function applicationDocuments(...asked: Parameters<typeof documents.applicationDocuments>): NumberedDocument[] {
  return allOf(documents.applicationDocuments(...asked));
}

function allOf({ stretches, between }: FoundDocuments): NumberedDocument[] {
  return stretches.flatMap(([lowest, highest]) => between(lowest, highest));
}
