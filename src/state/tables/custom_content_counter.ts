import { u8Key, u64Key } from '../../codec/key.ts';
import { u8, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';

const row = struct({
  /** 0 sender, 1 recipient, 2 application (then the name is empty). */
  kind: u8,
  name: accountName,
  app_id: u64,
  latest: u64,
});

/** The latest sequence numbers of documents: of a sender, of a recipient and of an application. */
export const customContentCounters = table({
  name: 'custom_content_counter',
  value: row,
  key: { kind: u8Key, name: nameKey, app_id: u64Key },
});
