import { numberedDocument } from '../../queries/documents.ts';

/** The content of a document notice: its number in the stream, and the document. */
export const documentNotice = numberedDocument;

export type { NumberedDocument as DocumentNotice } from '../../queries/documents.ts';
