import type { ChainParameters } from './parameters.ts';
import type { WitnessSchedule } from './tables/witness_schedule.ts';

/** The number of witnesses of a round that must agree on a hardfork. */
export function requiredHardforkVotes(
  { isPrivateNet, genesis }: Pick<ChainParameters, 'isPrivateNet' | 'genesis'>,
  { num_scheduled_witnesses: scheduled }: Pick<WitnessSchedule, 'num_scheduled_witnesses'>,
): number {
  return isPrivateNet ? Math.trunc(scheduled / 2) + 1 : genesis.hardfork_req_witnesses;
}
