import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';

/** A vote of an account for a witness; the row is the record. */
export const witnessVoteRecord = struct({
  id: u64,
  witness: accountName,
  account: accountName,
});
