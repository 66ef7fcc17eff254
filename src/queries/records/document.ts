import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { bool, text, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';
import { copyRecipients } from '../../state/document_copies.ts';
import type { CustomContent } from '../../state/tables/custom_content.ts';

/** A received document. `data` is the JSON text as sent, or standard base64 of the bytes when `binary`. */
export const documentRecord = struct({
  id: u64,
  sender: accountName,
  recipients: vector(accountName),
  app_id: u64,
  data: text,
  received: time,
  binary: bool,
});

export type DocumentRecord = ValueOf<typeof documentRecord>;

/** The copy of a message at a position. */
export function makeDocumentRecord(message: CustomContent, place: number): DocumentRecord {
  const { id, sender, app_id, payload, received, binary } = message;
  const data = binary ? Buffer.from(payload, 'hex').toString('base64') : payload;
  return { id: id + BigInt(place), sender, recipients: copyRecipients(message), app_id, data, received, binary };
}
