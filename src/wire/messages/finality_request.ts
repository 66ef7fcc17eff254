import { u32, u8 } from '../../codec/primitives.ts';
import { CONTROL } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { members, bounded, type WireValue } from '../wire_values.ts';

/** Rounds of 51 blocks for two and a half hours. */
export const MOST_BOUNDARIES = 64;
/** Bits of `newest`. */
export const NEWEST_PREPARE = 1;
export const NEWEST_COMMIT = 2;

const wire = members({
  /** Boundary certificates of this epoch and later ones are wanted. */
  epoch: u32,
  /** The largest number of them; 0 when none is wanted. */
  count: bounded(MOST_BOUNDARIES, u8),
  /** The newest certificates that are wanted: that of prepares, that of commits, both or none. */
  newest: bounded(NEWEST_PREPARE | NEWEST_COMMIT, u8),
});

export type FinalityRequest = WireValue<typeof wire>;

/** Asks for boundary certificates of the main branch, and for the newest certificates. */
export const finalityRequest = messageKind({
  name: 'finality_request',
  layout: 'epoch u32, count u8 ≤ 64, newest certificates wanted u8: bit 0 of prepares, bit 1 of commits',
  price: { payer: 'asker', firstMs: 1 },
  lane: CONTROL,
  mostBytes: 6,
  wire,
});
