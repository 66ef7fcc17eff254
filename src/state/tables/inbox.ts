import type { ValueOf } from '../../codec/codec.ts';
import { u64Key } from '../../codec/key.ts';
import { packedBytes, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, shortNameKey } from '../../values/account_name.ts';

const row = struct({
  app_id: u64,
  recipient: accountName,
  /** Sequence number of the newest document. */
  latest: u64,
  /** One behind another, the newest first (inboxes.ts). */
  trees: packedBytes,
});

export type Inbox = ValueOf<typeof row>;

/**
 * Where the documents of a recipient in an application are found: one small row to change for each recipient of a message, however
 * many documents there are. What it says follows from the messages, which the state hash counts, so it is no part of the hash.
 * It lies with the histories because it is as seldom asked for: in memory, thousands of recipients would push out accounts.
 */
export const inboxes = table({
  name: 'inbox',
  value: row,
  key: { app_id: u64Key, recipient: shortNameKey },
  column: 'history',
});
