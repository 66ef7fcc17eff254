import type { ValueOf } from '../../codec/codec.ts';
import { u32Key } from '../../codec/key.ts';
import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { authority } from '../../values/authority.ts';
import { time } from '../../values/time.ts';

const row = struct({
  id: u64,
  account_to_recover: accountName,
  new_owner_authority: authority,
  expires: time,
});

export type AccountRecoveryRequest = ValueOf<typeof row>;

/** Requests by recovery accounts to replace an owner authority; one per account, valid for a day. */
export const accountRecoveryRequests = table({
  name: 'account_recovery_request',
  value: row,
  key: { account_to_recover: nameKey },
  indexes: {
    by_expiration: {
      parts: [u32Key, nameKey],
      of: (request: AccountRecoveryRequest) => [request.expires, request.account_to_recover] as const,
      writable: true,
      unique: true,
    },
  },
});
