import type { ValueOf } from '../../codec/codec.ts';
import { bool, u128, u32, u64, u8 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import { accountName } from '../../values/account_name.ts';
import { asset, vestsAsset } from '../../values/asset.ts';
import { hash160 } from '../../values/hash.ts';
import { time } from '../../values/time.ts';
import { coins, vests, type ChainParameters } from '../../state/parameters.ts';
import { lastIrreversible } from '../../state/last_irreversible.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';

/** The head of the chain as shown by database_api. This chain has no reward funds; the member stays 0. */
export const dynamicGlobalPropertyRecord = struct({
  id: u64,
  head_block_number: u32,
  head_block_id: hash160,
  time,
  current_witness: accountName,
  current_supply: asset,
  total_vesting_shares: vestsAsset,
  total_reward_fund: asset,
  maximum_block_size: u32,
  current_aslot: u64,
  witness_required_vesting: vestsAsset,
  recent_slots_filled: u128,
  participation_count: u8,
  last_irreversible_block_num: u32,
  private_net: bool,
});

export type DynamicGlobalPropertyRecord = ValueOf<typeof dynamicGlobalPropertyRecord>;

export function makeDynamicGlobalPropertyRecord(
  rows: CommittedRows,
  parameters: ChainParameters,
): DynamicGlobalPropertyRecord {
  const head = rows.only(dynamicGlobalProperties);
  return {
    ...head,
    id: 0n,
    last_irreversible_block_num: lastIrreversible(rows),
    current_supply: coins(parameters, head.current_supply),
    total_vesting_shares: vests(parameters, head.total_vesting_shares),
    total_reward_fund: coins(parameters, 0n),
    witness_required_vesting: vests(parameters, head.witness_required_vesting),
    private_net: parameters.isPrivateNet,
  };
}

/** The same as shown by alexandria_api, in its order. */
export const chainPropertyRecord = struct({
  head_block_number: u32,
  head_block_id: hash160,
  time,
  current_witness: accountName,
  current_supply: asset,
  total_vesting_shares: vestsAsset,
  witness_required_vesting: vestsAsset,
  maximum_block_size: u32,
  current_aslot: u64,
  recent_slots_filled: u128,
  participation_count: u8,
  last_irreversible_block_num: u32,
  average_block_size: u32,
});
