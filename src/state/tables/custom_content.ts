import type { ValueOf } from '../../codec/codec.ts';
import { u32Key, u64Key } from '../../codec/key.ts';
import { bool, packedBytes, text, u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';

const row = struct({
  /** The id of the first copy; the others follow in the order of their recipients' names. */
  id: u64,
  app_id: u64,
  sender: accountName,
  sender_sequence: u64,
  app_message_sequence: u64,
  received: time,
  binary: bool,
  /** The JSON text, or the bytes as hex digits. */
  payload: text,
  /** The number of copies, and the copies concatenated (inboxes.ts). */
  copy_count: u32,
  copies: packedBytes,
});

export type CustomContent = ValueOf<typeof row>;

/**
 * Messages with a copy for each recipient. Rows are never changed or removed, and the chain itself never reads them.
 */
export const customContents = table({
  name: 'custom_content',
  value: row,
  key: { id: u64Key },
  indexes: {
    by_app_id: {
      parts: [u64Key, u64Key],
      of: (message: CustomContent) => [message.app_id, message.app_message_sequence] as const,
      unique: true,
    },
    by_sender: {
      parts: [nameKey, u64Key, u64Key],
      of: (message: CustomContent) => [message.sender, message.app_id, message.sender_sequence] as const,
      unique: true,
    },
    by_sender_time: {
      parts: [nameKey, u64Key, u32Key, u64Key],
      of: (message: CustomContent) =>
        [message.sender, message.app_id, message.received, message.sender_sequence] as const,
      unique: true,
    },
  },
  column: 'history',
  hashed: true,
  writeOnly: true,
});
