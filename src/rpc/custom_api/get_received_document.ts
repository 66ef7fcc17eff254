import { refusals } from '../../base/refusal.ts';
import { u64 } from '../../codec/primitives.ts';
import { documentRecord } from '../../queries/records/document.ts';
import { findDocument } from '../../queries/documents.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

const refuse = refusals({ unknown_document: 'no document has the id {id}' });

/** A document by its id. */
export const getReceivedDocument = method({
  name: 'custom_api.get_received_document',
  doc: 'The document of that id.',
  params: { id: coded(u64) },
  result: coded(documentRecord),
  example: { params: { id: 0 } },
  stability: 'experimental',
  refuses: refuse.texts,
  thread: 'read',
  handler: ({ id }, { rows }) => findDocument(rows, id) ?? refuse.unknown_document({ id }),
});
