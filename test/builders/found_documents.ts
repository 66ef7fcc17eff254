import * as documents from '../../src/queries/documents.ts';
import type { FoundDocuments, NumberedDocument } from '../../src/queries/document_pages.ts';
import type { ReadContext } from '../../src/queries/read_context.ts';

type Search = Omit<documents.DocumentSearch, 'cursor'> & Partial<Pick<documents.DocumentSearch, 'cursor'>>;

/** All documents of a page of a search, the first page by default. */
export function searchDocuments(context: ReadContext, search: Search): NumberedDocument[] {
  return documentsPage(context, search).documents;
}

/** The same with the cursor of the next page. */
export function documentsPage(
  context: ReadContext,
  search: Search,
): { readonly documents: NumberedDocument[]; readonly cursor: bigint | null | undefined } {
  const found = documents.searchDocuments(context, { cursor: null, ...search });
  return { documents: collectDocuments(found), cursor: found.cursor };
}

/** The same for those of an application. */
export function applicationDocuments(...asked: Parameters<typeof documents.applicationDocuments>): NumberedDocument[] {
  return collectDocuments(documents.applicationDocuments(...asked));
}

function collectDocuments({ stretches, between }: FoundDocuments): NumberedDocument[] {
  return stretches.flatMap(([lowest, highest]) => between(lowest, highest));
}
