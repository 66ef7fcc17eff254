import { u16, u32 } from '../../codec/primitives.ts';
import { hash160 } from '../../values/hash.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members, bounded, type WireValue } from '../wire_values.ts';

export const MOST_RANGE_BLOCKS = 1000;
/** A second of 32 Mbit/s; one block may be longer. */
export const MOST_RANGE_BYTES = 4 * 1024 * 1024;

const wire = members({
  number: u32,
  from: u32,
  /** The id of the block before `from`; all zero when the asker can't know it yet. */
  before: hash160,
  count: bounded(MOST_RANGE_BLOCKS, u16),
  bytes: bounded(MOST_RANGE_BYTES, u32),
});

export type RangeRequest = WireValue<typeof wire>;

/** Asks for blocks of the main branch. */
export const rangeRequest = messageKind({
  name: 'range_request',
  layout:
    'request number u32, from u32, id of the block before `from` (zeros: unknown), count u16 ≤ 1 000, bytes u32 ≤ 4 194 304',
  price: { payer: 'asker', firstMs: 5 },
  lane: CONTROL,
  mostBytes: 34,
  wire,
});
