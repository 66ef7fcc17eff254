import type { DynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';

/** A round of the full schedule. Each of its slots is another witness's, so filled slots count the producers. */
export const ROUND_SLOTS = 51;

/** How many of the last 51 slots have a block. */
export function filledSlots({ recent_slots_filled }: Pick<DynamicGlobalProperties, 'recent_slots_filled'>): number {
  let filled = 0;
  for (let left = BigInt.asUintN(ROUND_SLOTS, recent_slots_filled); left > 0n; left >>= 1n) filled += Number(left & 1n);
  return filled;
}
