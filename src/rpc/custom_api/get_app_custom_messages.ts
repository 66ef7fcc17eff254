import { u32, u64 } from '../../codec/primitives.ts';
import { applicationDocumentRefusals, applicationDocuments, numberedDocument, startNumber } from '../../queries/documents.ts';
import { documentsInChunks } from '../document_chunks.ts';
import { Type } from '../../jsonrpc/typebox.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Documents of an application. */
export const getAppCustomMessages = method({
  name: 'custom_api.get_app_custom_messages',
  doc: 'Documents of an application with the numbers of its own count, ascending: the largest ones up to start; −1 is the newest.',
  params: { app_id: coded(u64), start: coded(startNumber, { default: null }), limit: coded(u32) },
  result: Type.Array(coded(numberedDocument)),
  example: { params: { app_id: 1, start: 10, limit: 10 } },
  stability: 'experimental',
  refuses: applicationDocumentRefusals,
  thread: 'read',
  handler: (search, call) => documentsInChunks(call, applicationDocuments(call, search)),
});
