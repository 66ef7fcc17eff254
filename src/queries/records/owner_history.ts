import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { authority } from '../../values/authority.ts';
import { time } from '../../values/time.ts';

/** A former owner authority of an account, and until when it was valid; the row is the record. */
export const ownerHistoryRecord = struct({
  id: u64,
  account: accountName,
  previous_owner_authority: authority,
  last_valid_time: time,
});
