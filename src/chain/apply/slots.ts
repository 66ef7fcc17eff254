import type { ChainParameters } from '../../state/parameters.ts';
import type { DynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import type { WitnessSchedule } from '../../state/tables/witness_schedule.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { Seconds } from '../../values/time.ts';

/** The block that slots are counted from: the head, or any other. */
type SlotOrigin = Pick<DynamicGlobalProperties, 'head_block_number' | 'time'>;

/** The time of the slot that is `slot` slots after the head; 0 for slot 0 (chain_rules.md#slots-and-missed-blocks). */
export function slotTime(parameters: ChainParameters, head: SlotOrigin, slot: number): Seconds {
  if (slot === 0) return 0;
  const interval = parameters.blockIntervalSeconds;
  if (head.head_block_number === 0) return parameters.genesis.genesis_time + slot * interval;
  return head.time - (head.time % interval) + slot * interval;
}

/** The slot of a time, counted from the head; 0 before the first slot. */
export function slotAtTime(parameters: ChainParameters, head: SlotOrigin, time: Seconds): number {
  const first = slotTime(parameters, head, 1);
  return time < first ? 0 : Math.trunc((time - first) / parameters.blockIntervalSeconds) + 1;
}

/** The witness of a slot, counted from the head. */
export function scheduledWitness(
  { current_shuffled_witnesses, num_scheduled_witnesses }: WitnessSchedule,
  head: DynamicGlobalProperties,
  slot: number,
): AccountName {
  const place = (head.current_aslot + BigInt(slot)) % BigInt(num_scheduled_witnesses);
  return current_shuffled_witnesses[Number(place)] ?? '';
}

/** The scheduled names, without the padding. */
export function scheduledNames({
  current_shuffled_witnesses,
  num_scheduled_witnesses,
}: WitnessSchedule): readonly AccountName[] {
  return current_shuffled_witnesses.slice(0, num_scheduled_witnesses);
}

/** The share of the last 128 slots that have a block, in hundredths of a percent. */
export function participationRate({ participation_count }: DynamicGlobalProperties): number {
  return Math.trunc((10_000 * participation_count) / 128);
}
