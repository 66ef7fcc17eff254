import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import type { RowReader } from '../../storage/rows.ts';
import { time } from '../../values/time.ts';
import { version } from '../../values/version.ts';
import { hardforkProperty } from '../../state/tables/hardfork_property.ts';

/** Which hardforks were applied and when, and which one comes next. */
export const hardforkPropertyRecord = struct({
  id: u64,
  processed_hardforks: vector(time),
  last_hardfork: u32,
  current_hardfork_version: version,
  next_hardfork: version,
  next_hardfork_time: time,
});

export type HardforkPropertyRecord = ValueOf<typeof hardforkPropertyRecord>;

export function hardforkPropertyRecordOf(rows: RowReader): HardforkPropertyRecord {
  return { id: 0n, ...rows.only(hardforkProperty) };
}
