import type { ValueOf } from '../../codec/codec.ts';
import { orderedMap } from '../../codec/collections.ts';
import { u64Key, i64Key, u128Key, descending } from '../../codec/key.ts';
import { u8, u32, u64, i64, u128, bool, text } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { asset, assetSymbol, compareSymbols } from '../../values/asset.ts';
import { price } from '../../values/price.ts';
import { publicKey } from '../../values/public_key.ts';
import { time } from '../../values/time.ts';
import { version } from '../../values/version.ts';

const submittedRate = struct({ rate: price, last_change: time });

/** Ways in which a witness was scheduled. */
export const scheduledBy = { votes: 0, time: 1, nothing: 2 } as const;

export const witnessRow = struct({
  id: u64,
  owner: accountName,
  created: time,
  url: text,
  votes: i64,
  /** The way in which it was scheduled: 0 by votes, 1 by time, 2 never. */
  schedule: u8,
  virtual_last_update: u128,
  virtual_position: u128,
  virtual_scheduled_time: u128,
  total_missed: u32,
  last_aslot: u64,
  last_confirmed_block_num: u64,
  signing_key: publicKey,
  account_creation_fee: asset,
  maximum_block_size: u32,
  submitted_exchange_rates: orderedMap(assetSymbol, submittedRate, compareSymbols),
  stopped: bool,
  running_version: version,
  hardfork_version_vote: version,
  hardfork_time_vote: time,
});

export type Witness = ValueOf<typeof witnessRow>;

/** Candidates for block production. A witness with a null signing key is not scheduled. */
export const witnesses = table({
  name: 'witness',
  value: witnessRow,
  key: { owner: nameKey },
  indexes: {
    by_id: { parts: [u64Key], of: (witness: Witness) => [witness.id] as const, writable: true, unique: true },
    by_name: { parts: [nameKey], of: (witness: Witness) => [witness.owner] as const, writable: true, unique: true },
    by_vote_name: {
      parts: [descending(i64Key), nameKey],
      of: (witness: Witness) => [witness.votes, witness.owner] as const,
      writable: true,
      unique: true,
    },
    by_schedule_time: {
      parts: [u128Key, u64Key],
      of: (witness: Witness) => [witness.virtual_scheduled_time, witness.id] as const,
      writable: true,
      unique: true,
    },
  },
});
