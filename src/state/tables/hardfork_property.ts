import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { time } from '../../values/time.ts';
import { version } from '../../values/version.ts';

const row = struct({
  processed_hardforks: vector(time),
  last_hardfork: u32,
  current_hardfork_version: version,
  next_hardfork: version,
  next_hardfork_time: time,
});

export type HardforkProperty = ValueOf<typeof row>;

/** The hardforks applied so far, and the next one that the witnesses have agreed on. */
export const hardforkProperty = table({
  name: 'hardfork_property',
  value: row,
  key: {},
});
