import type { ValueOf } from '../../codec/codec.ts';
import { hexKey } from '../../codec/key.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { publicKey } from '../../values/public_key.ts';

const row = struct({
  key: publicKey,
  account: accountName,
});

export type KeyLookup = ValueOf<typeof row>;

/** The accounts that have a key in their owner or active authority. */
export const keyLookups = table({
  name: 'key_lookup',
  value: row,
  key: { key: hexKey(33), account: nameKey },
  hashed: false,
});
