import { numberedDocument } from '../../queries/documents.ts';

/** What a notice of a document says: its number in the stream, and the document. */
export const documentNotice = numberedDocument;

export type { NumberedDocument as DocumentNotice } from '../../queries/documents.ts';
