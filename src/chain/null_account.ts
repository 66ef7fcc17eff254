import { refusals } from '../base/refusal.ts';
import { adjustBalance } from '../state/balance.ts';
import { headOf, type ChainState } from '../state/chain_state.ts';
import { requireAccount } from '../state/lookups.ts';
import { NULL_ACCOUNT } from '../state/parameters.ts';
import { accounts } from '../state/tables/account.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { economicModel } from '../state/tables/economic_model.ts';

const refuse = refusals({ supply_lost: 'what account {account} holds would leave the supply without being burned' });

/**
 * Destroys what was sent to the null account (chain.md 10.7). Under rules where that does not count as burned the sum of
 * all coins no longer holds, and the original refuses the block for it.
 */
export function clearNullAccount(state: ChainState): void {
  const { balance, vesting_shares } = requireAccount(state.rows, NULL_ACCOUNT);
  const destroyed = balance + vesting_shares;
  if (balance <= 0n && vesting_shares <= 0n) return;
  if (!state.parameters.rules.null_account_burns) refuse.supply_lost({ account: NULL_ACCOUNT });
  if (balance > 0n) adjustBalance(state, NULL_ACCOUNT, -balance);
  state.rows.put(accounts, { ...requireAccount(state.rows, NULL_ACCOUNT), vesting_shares: 0n });
  const head = headOf(state);
  state.rows.put(dynamicGlobalProperties, {
    ...head,
    current_supply: head.current_supply - destroyed,
    total_vesting_shares: head.total_vesting_shares - vesting_shares,
  });
  const model = state.rows.only(economicModel);
  state.rows.put(economicModel, { ...model, burn_pool: model.burn_pool + destroyed });
}
