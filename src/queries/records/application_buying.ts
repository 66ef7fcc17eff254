import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';

/** The buyer of an application and the time of purchase; members in the order of the API. */
export const applicationBuyingRecord = struct({
  id: u64,
  app_id: u64,
  buyer: accountName,
  created: time,
});
