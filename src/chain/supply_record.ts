import { headOf, type ChainState } from '../state/chain_state.ts';
import { INTEREST_BLOCKS } from '../state/parameters.ts';
import { economicModel } from '../state/tables/economic_model.ts';
import { historicSupplies } from '../state/tables/historic_supply.ts';

/** Adds the supply after this block to the sum over the last 2 400 blocks, from which interest is reckoned (chain.md 10.5). */
export function recordSupply(state: ChainState): void {
  const { head_block_number, current_supply } = headOf(state);
  const slot = head_block_number % INTEREST_BLOCKS;
  const model = state.rows.only(economicModel);
  const isFirstTime = head_block_number < INTEREST_BLOCKS;
  const replaced = isFirstTime ? 0n : (state.rows.get(historicSupplies, slot)?.supply ?? 0n);
  const supply = { slot, supply: current_supply };
  if (isFirstTime) state.rows.append(historicSupplies, supply);
  else state.rows.put(historicSupplies, supply);
  state.rows.put(economicModel, { ...model, accumulated_supply: model.accumulated_supply - replaced + current_supply });
}
