import { u32, u64 } from '../../codec/primitives.ts';
import { applicationDocumentRefusals, applicationDocuments, numberedDocuments, startNumber } from '../../queries/documents.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Documents of an application. */
export const getAppCustomMessages = method({
  name: 'custom_api.get_app_custom_messages',
  doc: 'Documents of an application with the numbers of its own count, ascending: the largest ones up to start; −1 is the newest.',
  params: { app_id: coded(u64), start: coded(startNumber, { default: null }), limit: coded(u32) },
  result: coded(numberedDocuments),
  example: { params: { app_id: 1, start: 10, limit: 10 } },
  stability: 'experimental',
  refuses: applicationDocumentRefusals,
  thread: 'read',
  handler: (search, call) => applicationDocuments(call, search),
});
