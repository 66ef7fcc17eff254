import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { u32Key, u64Key } from '../../codec/key.ts';
import { u64, bool, text } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';

const row = struct({
  id: u64,
  app_id: u64,
  sender: accountName,
  recipient: accountName,
  all_recipients: vector(accountName),
  sender_sequence: u64,
  recipient_sequence: u64,
  app_message_sequence: u64,
  received: time,
  binary: bool,
  /** The JSON text, or the bytes as hex digits. */
  payload: text,
});

export type CustomContent = ValueOf<typeof row>;

/** Documents, one row a recipient. Rows are never changed and never removed. */
export const customContents = table({
  name: 'custom_content',
  value: row,
  key: { id: u64Key },
  orders: {
    by_app_id: {
      parts: [u64Key, u64Key, u64Key],
      of: (document: CustomContent) => [document.app_id, document.app_message_sequence, document.id] as const,
      unique: true,
    },
    by_sender: {
      parts: [nameKey, u64Key, u64Key, u64Key],
      of: (document: CustomContent) => [document.sender, document.app_id, document.sender_sequence, document.id] as const,
      unique: true,
    },
    by_recipient: {
      parts: [nameKey, u64Key, u64Key, u64Key],
      of: (document: CustomContent) => [document.recipient, document.app_id, document.recipient_sequence, document.id] as const,
      unique: true,
    },
    by_sender_time: {
      parts: [nameKey, u64Key, u32Key, u64Key],
      of: (document: CustomContent) => [document.sender, document.app_id, document.received, document.id] as const,
      unique: true,
    },
    by_recipient_time: {
      parts: [nameKey, u64Key, u32Key, u64Key],
      of: (document: CustomContent) => [document.recipient, document.app_id, document.received, document.id] as const,
      unique: true,
    },
  },
});
