import type { Codec, PlainOf, ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { speaksLineage, type EncodingOptions } from '../../codec/encoding_options.ts';
import { u128, u32, u64, u8 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import type { RowReader } from '../../storage/rows.ts';
import { accountName } from '../../values/account_name.ts';
import { version } from '../../values/version.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import { chainProps, chainPropsWithFeeds } from './chain_props.ts';

const members = {
  id: u64,
  current_virtual_time: u128,
  next_shuffle_block_num: u32,
  current_shuffled_witnesses: vector(accountName),
  num_scheduled_witnesses: u8,
  top19_weight: u8,
  timeshare_weight: u8,
  witness_pay_normalization_factor: u32,
  median_props: chainPropsWithFeeds,
  majority_version: version,
  max_voted_witnesses: u32,
  max_runner_witnesses: u32,
  hardfork_required_witnesses: u32,
} as const;

/** The current round: which witness produces in which slot, and what the round agreed on. */
export const witnessScheduleRecord = struct(members);

export type WitnessScheduleRecord = ValueOf<typeof witnessScheduleRecord>;

const withoutFeeds = struct({ ...members, median_props: chainProps });
const shownCodec = (encoding: EncodingOptions): Codec<WitnessScheduleRecord> =>
  speaksLineage(encoding)
    ? { ...witnessScheduleRecord, toJson: withoutFeeds.toJson, describe: withoutFeeds.describe }
    : witnessScheduleRecord;

/** The same as shown by alexandria_api: without price feeds where the lineage's form is used. */
export const roundRecord: Codec<WitnessScheduleRecord, PlainOf<typeof witnessScheduleRecord>> = {
  ...witnessScheduleRecord,
  toJson: (round, encoding) => shownCodec(encoding).toJson(round, encoding),
  describe: (encoding) => shownCodec(encoding).describe(encoding),
};

export function makeWitnessScheduleRecord(rows: RowReader, { genesis }: ChainParameters): WitnessScheduleRecord {
  const { account_creation_fee, maximum_block_size, ...schedule } = rows.only(witnessSchedule);
  return {
    ...schedule,
    id: 0n,
    median_props: { account_creation_fee, maximum_block_size, price_feeds: [] },
    max_voted_witnesses: genesis.max_voted_witnesses,
    max_runner_witnesses: genesis.max_runner_witnesses,
    hardfork_required_witnesses: genesis.hardfork_req_witnesses,
  };
}
