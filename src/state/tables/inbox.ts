import type { ValueOf } from '../../codec/codec.ts';
import { u64Key } from '../../codec/key.ts';
import { packedBytes, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, shortNameKey } from '../../values/account_name.ts';

const row = struct({
  app_id: u64,
  recipient: accountName,
  /** The sequence number of the newest document. */
  latest: u64,
  /** The trees concatenated, newest first (inboxes.ts). */
  trees: packedBytes,
});

export type Inbox = ValueOf<typeof row>;

/**
 * Locates the documents of a recipient in an application: one small row to change per recipient of a message, however
 * many documents there are. It can be derived from the messages, which are part of the state hash, so it is not part of
 * the hash. It is in the history column because it is as rarely read: in memory, thousands of recipients would evict
 * accounts.
 */
export const inboxes = table({
  name: 'inbox',
  value: row,
  key: { app_id: u64Key, recipient: shortNameKey },
  column: 'history',
});
