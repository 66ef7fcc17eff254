import { replacing } from '../../codec/struct.ts';
import { headProperties, type ChainState } from '../../state/chain_state.ts';
import { confirmedNumber, numberConfirmed } from '../../state/confirmed_number.ts';
import type { RowReader } from '../../storage/rows.ts';
import { IRREVERSIBLE_THRESHOLD, ONE_HUNDRED_PERCENT } from '../../state/parameters.ts';
import { dynamicGlobalProperties, globalPropertiesRow } from '../../state/tables/dynamic_global_property.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import { uncertified, type FinalBlock } from './finality.ts';
import { scheduledNames } from './slots.ts';

const withIrreversible = replacing(globalPropertiesRow, ['last_irreversible_block_num']);

/**
 * The feed of finality: the block that confirmations make final on the branch whose rows these are. Another branch may
 * name an earlier one.
 */
export function confirmedBlock(rows: RowReader): FinalBlock {
  return uncertified(numberConfirmed(rows.only(dynamicGlobalProperties).last_irreversible_block_num));
}

/**
 * Advances the last irreversible block to the one that three quarters of the round have built on
 * (chain_rules.md#irreversible-blocks).
 */
export function updateLastIrreversible(state: ChainState): void {
  const head = headProperties(state);
  const number =
    head.head_block_number < state.parameters.confirmationsFromBlock ? behindOneRound(state) : confirmedByRound(state);
  if (number <= numberConfirmed(head.last_irreversible_block_num)) return;
  state.rows.put(
    dynamicGlobalProperties,
    withIrreversible(head, { last_irreversible_block_num: confirmedNumber(number) }),
  );
}

/** Until witnesses are counted: one round's length before the head. */
function behindOneRound(state: ChainState): number {
  return headProperties(state).head_block_number - state.parameters.genesis.max_witnesses;
}

function confirmedByRound(state: ChainState): number {
  const confirmed = scheduledNames(state.rows.only(witnessSchedule)).map(
    (name) => state.rows.get(witnesses, name)?.last_confirmed_block_num ?? 0n,
  );
  confirmed.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const hundred = Number(ONE_HUNDRED_PERCENT);
  const place = Math.trunc(((hundred - IRREVERSIBLE_THRESHOLD) * confirmed.length) / hundred);
  return Number(confirmed[place] ?? 0n);
}
