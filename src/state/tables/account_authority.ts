import type { ValueOf } from '../../codec/codec.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { authority } from '../../values/authority.ts';
import { time } from '../../values/time.ts';

const row = struct({
  account: accountName,
  owner: authority,
  active: authority,
  last_owner_update: time,
});

export type AccountAuthority = ValueOf<typeof row>;

/** The authorities of accounts. Read for every signature, rarely changed. */
export const accountAuthorities = table({
  name: 'account_authority',
  value: row,
  key: { account: nameKey },
});
