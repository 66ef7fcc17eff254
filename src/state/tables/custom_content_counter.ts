import { u8Key, u64Key } from '../../codec/key.ts';
import { u8, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';

/**
 * The subject of a counter: messages of a sender in an application, or all messages of an application. An inbox counts
 * those of its recipient.
 */
export const counted = { ofSender: 0, ofApplication: 1 } as const;

const row = struct({
  kind: u8,
  /** Empty for the counter of a whole application. */
  name: accountName,
  app_id: u64,
  latest: u64,
});

/** Latest sequence numbers of messages. */
export const customContentCounters = table({
  name: 'custom_content_counter',
  value: row,
  key: { kind: u8Key, name: nameKey, app_id: u64Key },
});
