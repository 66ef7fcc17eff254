import type { ValueOf } from '../../codec/codec.ts';
import { u8, u32, u64, i64, u128 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName } from '../../values/account_name.ts';
import { hash160 } from '../../values/hash.ts';
import { time } from '../../values/time.ts';
import { confirmedU32 } from '../confirmed_number.ts';

export const globalPropertiesRow = struct({
  head_block_number: u32,
  head_block_id: hash160,
  time: time,
  current_witness: accountName,
  current_supply: i64,
  total_vesting_shares: i64,
  witness_required_vesting: i64,
  maximum_block_size: u32,
  current_aslot: u64,
  recent_slots_filled: u128,
  participation_count: u8,
  last_irreversible_block_num: confirmedU32,
});

export type DynamicGlobalProperties = ValueOf<typeof globalPropertiesRow>;

/** Properties of the head block, in one row. Changed by every block and by everything that changes the supply. */
export const dynamicGlobalProperties = table({
  name: 'dynamic_global_property',
  value: globalPropertiesRow,
  key: {},
});
