import { u64 } from '../../codec/primitives.ts';
import { numberedDocument } from '../../queries/document_pages.ts';
import {
  applicationDocumentRefusals,
  lineageDocumentRefusals,
  applicationDocuments,
  startNumber,
} from '../../queries/documents.ts';
import { historyPageLimit } from '../../queries/paging.ts';
import { documentsInChunks } from '../document_chunks.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Documents of an application. */
export const getAppCustomMessages = method({
  name: 'custom_api.get_app_custom_messages',
  doc: 'Documents of an application with the numbers of its own count, ascending: the largest ones up to start; −1 or no start is the newest. The next page has the smallest number − 1 as its start.',
  params: { app_id: coded(u64), start: coded(startNumber, { default: null }), limit: coded(historyPageLimit) },
  result: Type.Array(coded(numberedDocument)),
  example: { params: { app_id: 1, start: 10, limit: 10 } },
  stability: 'experimental',
  refuses: applicationDocumentRefusals,
  refusesLineage: lineageDocumentRefusals,
  thread: 'read',
  handler: (search, call) => documentsInChunks(call, applicationDocuments(call, search)),
});
