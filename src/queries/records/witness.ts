import type { ValueOf } from '../../codec/codec.ts';
import { orderedMap } from '../../codec/collections.ts';
import { i64, u128, u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { anyText } from '../../values/any_text.ts';
import { assetSymbol, compareSymbols } from '../../values/asset.ts';
import { price } from '../../values/price.ts';
import { publicKey } from '../../values/public_key.ts';
import { time } from '../../values/time.ts';
import { version } from '../../values/version.ts';
import type { Witness } from '../../state/tables/witness.ts';
import { chainProps, chainPropsWithFeeds } from './chain_props.ts';

const members = {
  id: u64,
  owner: accountName,
  created: time,
  url: anyText,
  votes: i64,
  virtual_last_update: u128,
  virtual_position: u128,
  virtual_scheduled_time: u128,
  total_missed: u32,
  last_aslot: u64,
  last_confirmed_block_num: u64,
  signing_key: publicKey,
  props: chainPropsWithFeeds,
  submitted_exchange_rates: orderedMap(assetSymbol, struct({ rate: price, last_change: time }), compareSymbols),
  running_version: version,
  hardfork_version_vote: version,
  hardfork_time_vote: time,
} as const;

/** A witness as shown by database_api. */
export const witnessRecord = struct(members);

export type WitnessRecord = ValueOf<typeof witnessRecord>;

/** The same as shown by alexandria_api: without price feeds. */
export const producerRecord = struct({ ...members, props: chainProps });

export function makeWitnessRecord(witness: Witness): WitnessRecord {
  const { account_creation_fee, maximum_block_size, ...shown } = witness;
  return { ...shown, props: { account_creation_fee, maximum_block_size, price_feeds: [] } };
}
