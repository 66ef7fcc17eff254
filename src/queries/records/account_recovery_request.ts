import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { authority } from '../../values/authority.ts';
import { time } from '../../values/time.ts';

/** A request to replace the owner authority of an account; the row is the record. */
export const accountRecoveryRequestRecord = struct({
  id: u64,
  account_to_recover: accountName,
  new_owner_authority: authority,
  expires: time,
});
