import { u8Key, u64Key } from '../../codec/key.ts';
import { u8, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';

/** What is counted: messages of a sender in an application, or all of an application. Those of a recipient counts its inbox. */
export const counted = { ofSender: 0, ofApplication: 1 } as const;

const row = struct({
  kind: u8,
  /** Empty where an application counts. */
  name: accountName,
  app_id: u64,
  latest: u64,
});

/** The latest sequence numbers of messages. */
export const customContentCounters = table({
  name: 'custom_content_counter',
  value: row,
  key: { kind: u8Key, name: nameKey, app_id: u64Key },
});
