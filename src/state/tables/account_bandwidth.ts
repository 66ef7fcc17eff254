import type { ValueOf } from '../../codec/codec.ts';
import { u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';

const row = struct({
  account: accountName,
  act_fee_free_bandwidth: u64,
  act_fee_free_ops_count: u64,
  last_block_num_reset: u32,
});

export type AccountBandwidth = ValueOf<typeof row>;

/** Free use of accounts since their counters were reset. */
export const accountBandwidths = table({
  name: 'account_bandwidth',
  value: row,
  key: { account: nameKey },
});
