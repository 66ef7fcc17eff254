import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';

/** A pending change of the recovery account; the row is the record. */
export const changeRecoveryAccountRequestRecord = struct({
  id: u64,
  account_to_recover: accountName,
  recovery_account: accountName,
  effective_on: time,
});
