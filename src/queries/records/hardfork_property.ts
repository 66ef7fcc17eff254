import type { Codec, PlainOf, ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { speaksLineage, type EncodingOptions } from '../../codec/encoding_options.ts';
import { text, u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { RowReader } from '../../storage/rows.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';
import { version } from '../../values/version.ts';
import { hardforkProperty } from '../../state/tables/hardfork_property.ts';
import { hardforkStanding } from '../hardfork_standing.ts';
import { hardforkWarnings } from '../hardfork_warnings.ts';

const members = {
  id: u64,
  processed_hardforks: vector(time),
  last_hardfork: u32,
  current_hardfork_version: version,
  next_hardfork: version,
  next_hardfork_time: time,
} as const;

/** Which hardforks were applied and when, and which one comes next. */
export const hardforkPropertyRecord = struct(members);

export type HardforkPropertyRecord = ValueOf<typeof hardforkPropertyRecord>;

/**
 * The row as it is, or, where `isPlain`, without the next hardfork that a chain begins with (0.0.0, of its genesis
 * time): while none is pending the next one is the current one.
 */
export function makeHardforkPropertyRecord(rows: RowReader, isPlain: boolean): HardforkPropertyRecord {
  const row = { id: 0n, ...rows.only(hardforkProperty) };
  const { current_hardfork_version: current, processed_hardforks: times } = row;
  if (!isPlain || row.next_hardfork > current) return row;
  return { ...row, next_hardfork: current, next_hardfork_time: times.at(-1) ?? row.next_hardfork_time };
}

const votesRecord = struct({
  ...members,
  /** That of the last hardfork that the program of the node knows. */
  supported_version: version,
  required_votes: u32,
  scheduled: vector(
    struct({
      owner: accountName,
      running_version: version,
      hardfork_version_vote: version,
      hardfork_time_vote: time,
    }),
  ),
  /** Hardforks that a development chain applies without votes. */
  planned: vector(struct({ name: text, version, block_num: u32 })),
  votes: vector(struct({ version, time, witnesses: vector(accountName) })),
  warnings: vector(struct({ name: text, text, advice: text })),
});

const shownCodec = (encoding: EncodingOptions): Codec<HardforkVotesRecord> =>
  speaksLineage(encoding)
    ? { ...votesRecord, toJson: hardforkPropertyRecord.toJson, describe: hardforkPropertyRecord.describe }
    : votesRecord;

/** The same with the votes of the scheduled witnesses, which the lineage doesn't show. */
export const hardforkVotesRecord: Codec<HardforkVotesRecord, PlainOf<typeof votesRecord>> = {
  ...votesRecord,
  toJson: (votes, encoding) => shownCodec(encoding).toJson(votes, encoding),
  describe: (encoding) => shownCodec(encoding).describe(encoding),
};

export type HardforkVotesRecord = ValueOf<typeof votesRecord>;

/** The row as `makeHardforkPropertyRecord` shows it, and how the scheduled witnesses stand to the next hardfork. */
export function makeHardforkVotesRecord(
  rows: RowReader,
  parameters: ChainParameters,
  isPlain: boolean,
): HardforkVotesRecord {
  const standing = hardforkStanding(rows, parameters);
  const { supported, required, scheduled, planned, votes } = standing;
  return {
    ...makeHardforkPropertyRecord(rows, isPlain),
    supported_version: supported,
    required_votes: required,
    scheduled,
    planned: planned.map((each) => ({ name: each.name, version: each.version, block_num: each.block })),
    votes,
    warnings: hardforkWarnings(standing),
  };
}
