import type { ValueOf } from '../../codec/codec.ts';
import { hexKey, u32Key, u64Key } from '../../codec/key.ts';
import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { authority, authorityDigest } from '../../values/authority.ts';
import { time } from '../../values/time.ts';

const row = struct({
  id: u64,
  account: accountName,
  previous_owner_authority: authority,
  last_valid_time: time,
});

export type OwnerAuthorityHistory = ValueOf<typeof row>;

/** Former owner authorities of accounts, kept as long as they can prove a recovery. */
export const ownerAuthorityHistories = table({
  name: 'owner_authority_history',
  value: row,
  key: { id: u64Key },
  indexes: {
    by_account: {
      parts: [nameKey, u32Key, u64Key],
      of: (entry: OwnerAuthorityHistory) => [entry.account, entry.last_valid_time, entry.id] as const,
      writable: true,
      unique: true,
    },
    by_id: { parts: [u64Key], of: (entry: OwnerAuthorityHistory) => [entry.id] as const, writable: true, unique: true },
    /** A recovery has to find one of up to 720 authorities of 8 KiB each. */
    by_account_authority: {
      parts: [nameKey, hexKey(32), u32Key, u64Key],
      of: ({ account, previous_owner_authority: owner, last_valid_time, id }: OwnerAuthorityHistory) =>
        [account, authorityDigest(owner), last_valid_time, id] as const,
      writable: true,
      unique: true,
    },
  },
});
