import { refusals } from '../../base/refusal.ts';
import { u64 } from '../../codec/primitives.ts';
import { documentRecord, documentRecordOf } from '../../state/records/document.ts';
import { customContents } from '../../state/tables/custom_content.ts';
import { method } from '../method.ts';
import { coded } from '../params.ts';

const refuse = refusals({ unknown_document: 'false: Unknown document {id}' });

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
  handler: ({ id }, { rows }) => documentRecordOf(rows.get(customContents, id) ?? refuse.unknown_document({ id })),
});
