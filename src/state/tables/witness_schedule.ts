import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { u8, u32, u128 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName } from '../../values/account_name.ts';
import { asset } from '../../values/asset.ts';
import { version } from '../../values/version.ts';

const row = struct({
  current_virtual_time: u128,
  next_shuffle_block_num: u32,
  current_shuffled_witnesses: vector(accountName),
  num_scheduled_witnesses: u8,
  top19_weight: u8,
  timeshare_weight: u8,
  witness_pay_normalization_factor: u32,
  account_creation_fee: asset,
  maximum_block_size: u32,
  majority_version: version,
});

export type WitnessSchedule = ValueOf<typeof row>;

/** The current round: the producer of each slot, and the properties that the round agreed on. */
export const witnessSchedule = table({
  name: 'witness_schedule',
  value: row,
  key: {},
});
