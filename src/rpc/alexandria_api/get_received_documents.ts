import { Type } from '../../jsonrpc/typebox.ts';
import { u32, u64 } from '../../codec/primitives.ts';
import { accountName } from '../../values/account_name.ts';
import { documentRefusals, numberedDocument, searchDocuments, startText } from '../../queries/documents.ts';
import { documentsInChunks } from '../document_chunks.ts';
import { method } from '../method.ts';
import { nullable } from '../../codec/nullable.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Documents that an account sent or received. */
export const getReceivedDocuments = method({
  name: 'alexandria_api.get_received_documents',
  doc: 'Documents that an account sent or received in an application, each with its number, ascending. Start −1 is the newest, no start the end at which the search begins.',
  params: {
    app_id: coded(u64),
    account_name: coded(accountName),
    search_type: Type.String(),
    start: coded(nullable(startText), { default: null }),
    count: coded(u32, { default: 10 }),
  },
  result: Type.Object({ received_documents: Type.Array(coded(numberedDocument)) }),
  example: { params: { app_id: 1, account_name: 'alice', search_type: 'by_recipient_reverse', start: '1', count: 10 } },
  stability: 'stable',
  refuses: documentRefusals,
  thread: 'read',
  handler: (search, call) => ({ received_documents: documentsInChunks(call, searchDocuments(call, search)) }),
});
