import { replacing } from '../../codec/struct.ts';
import { headProperties, type ChainState } from '../../state/chain_state.ts';
import { INTEREST_BLOCKS } from '../../state/parameters.ts';
import { economicModel, economicModelRow } from '../../state/tables/economic_model.ts';
import { historicSupplies } from '../../state/tables/historic_supply.ts';

const PAGE_SLOTS = 32; // the 2 400 slots are 75 pages
const withAccumulated = replacing(economicModelRow, ['accumulated_supply']);

/**
 * Adds the supply after this block to the sum over the last 2 400 blocks, from which interest is computed
 * (chain_rules.md#supply-record).
 */
export function recordSupply(state: ChainState): void {
  const { head_block_number, current_supply } = headProperties(state);
  const slot = head_block_number % INTEREST_BLOCKS;
  const model = state.rows.only(economicModel);
  const page = Math.trunc(slot / PAGE_SLOTS);
  const supplies = state.rows.get(historicSupplies, page)?.supplies.slice() ?? [];
  // Block 0 has left nothing in the first slot.
  while (supplies.length < slot % PAGE_SLOTS) supplies.push(0n);
  const replaced = supplies[slot % PAGE_SLOTS] ?? 0n;
  supplies[slot % PAGE_SLOTS] = current_supply;
  state.rows.put(historicSupplies, { page, supplies });
  const accumulated_supply = model.accumulated_supply - replaced + current_supply;
  state.rows.put(economicModel, withAccumulated(model, { accumulated_supply }));
}
