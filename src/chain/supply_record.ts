import { headOf, type ChainState } from '../state/chain_state.ts';
import { INTEREST_BLOCKS } from '../state/parameters.ts';
import { economicModel } from '../state/tables/economic_model.ts';
import { historicSupplies } from '../state/tables/historic_supply.ts';

/** Adds the supply after this block to the sum over the last 2 400 blocks, from which interest is reckoned (chain.md 10.5). */
export function recordSupply(state: ChainState): void {
  const { head_block_number, current_supply } = headOf(state);
  const slot = head_block_number % INTEREST_BLOCKS;
  const replaced = head_block_number >= INTEREST_BLOCKS ? (state.rows.get(historicSupplies, slot)?.supply ?? 0n) : 0n;
  const model = state.rows.only(economicModel);
  state.rows.put(historicSupplies, { slot, supply: current_supply });
  state.rows.put(economicModel, { ...model, accumulated_supply: model.accumulated_supply - replaced + current_supply });
}
