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
import { cursorParam } from '../cursor.ts';
import { documentsInChunks, searchDoc } from '../document_chunks.ts';
import { method } from '../method.ts';
import { nullable } from '../../codec/nullable.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Documents that an account sent or received. */
export const listReceivedDocuments = method({
  name: 'custom_api.list_received_documents',
  doc: `Documents that an account sent or received in an application, each with its number, ascending. ${searchDoc} The result is a list without a cursor: the next page begins at the smallest number − 1, or at the largest + 1 where the search goes up.`,
  params: {
    app_id: coded(u64),
    account_name: coded(accountName),
    search_type: coded(documentSearchType),
    start: coded(nullable(startText), { default: null }),
    count: coded(historyPageLimit),
    cursor: cursorParam(u64, 'the number of the first document'),
  },
  result: Type.Array(coded(numberedDocument)),
  example: { params: { app_id: 1, account_name: 'bob', search_type: 'by_recipient_reverse', start: '1', count: 10 } },
  stability: 'experimental',
  refuses: documentRefusals,
  refusesLineage: lineageDocumentRefusals,
  thread: 'read',
  handler: (search, call) => documentsInChunks(call, searchDocuments(call, search)),
});
