import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { u64 } from '../../codec/primitives.ts';
import { accountName } from '../../values/account_name.ts';
import { numberedDocument } from '../../queries/document_pages.ts';
import {
  documentRefusals,
  lineageDocumentRefusals,
  documentSearchType,
  searchDocuments,
  startText,
} from '../../queries/documents.ts';
import { historyPageLimit } from '../../queries/paging.ts';
import { cursorMember, cursorParam } from '../cursor.ts';
import { documentsInChunks, searchDoc } from '../document_chunks.ts';
import { method } from '../method.ts';
import { nullable } from '../../codec/nullable.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Documents that an account sent or received. */
export const getReceivedDocuments = method({
  name: 'alexandria_api.get_received_documents',
  doc: `Documents that an account sent or received in an application, each with its number, ascending. ${searchDoc}`,
  params: {
    app_id: coded(u64),
    account_name: coded(accountName),
    search_type: coded(documentSearchType),
    start: coded(nullable(startText), { default: null }),
    count: coded(historyPageLimit, { default: 10 }),
    cursor: cursorParam(u64, 'the number of the first document'),
  },
  result: Type.Object({ received_documents: Type.Array(coded(numberedDocument)), cursor: cursorMember(u64) }),
  example: { params: { app_id: 1, account_name: 'alice', search_type: 'by_recipient_reverse', start: '1', count: 10 } },
  stability: 'stable',
  refuses: documentRefusals,
  refusesLineage: lineageDocumentRefusals,
  thread: 'read',
  handler(search, call) {
    const found = searchDocuments(call, search);
    const { cursor } = found;
    return { received_documents: documentsInChunks(call, found), ...(cursor === undefined ? {} : { cursor }) };
  },
});
