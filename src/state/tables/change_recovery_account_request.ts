import type { ValueOf } from '../../codec/codec.ts';
import { u32Key } from '../../codec/key.ts';
import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';

const row = struct({
  id: u64,
  account_to_recover: accountName,
  recovery_account: accountName,
  effective_on: time,
});

export type ChangeRecoveryAccountRequest = ValueOf<typeof row>;

/** Pending changes of recovery accounts, until their delay has passed. */
export const changeRecoveryAccountRequests = table({
  name: 'change_recovery_account_request',
  value: row,
  key: { account_to_recover: nameKey },
  indexes: {
    by_effective_date: {
      parts: [u32Key, nameKey],
      of: (request: ChangeRecoveryAccountRequest) => [request.effective_on, request.account_to_recover] as const,
      writable: true,
      unique: true,
    },
  },
});
