import { refusals } from '../../base/refusal.ts';
import { payOwedShares } from '../../operations/virtual/interest.ts';
import { adjustBalance, withHoldings } from '../../state/balance.ts';
import type { ChainState } from '../../state/chain_state.ts';
import { changeTotalVesting } from '../../state/dilution_protection.ts';
import { adjustSupply } from '../../state/fees.ts';
import { requireAccount } from '../../state/lookups.ts';
import { NULL_ACCOUNT } from '../../state/parameters.ts';
import { accounts } from '../../state/tables/account.ts';
import { economicModel } from '../../state/tables/economic_model.ts';
import { adjustProxiedVotes } from '../../state/votes.ts';

const refuse = refusals({
  supply_lost: 'nothing can be sent to {account}: it would leave the supply without being burned',
});

/**
 * Refuses a transaction that leaves assets with the null account where these do not count as burned: the lineage
 * refuses every block with such a transaction, because the sum of all coins would no longer match, so it must not get
 * into one.
 */
export function requireNothingLost({ rows, parameters }: ChainState): void {
  if (parameters.rules.null_account_burns || parameters.isPrivateNet) return;
  const { balance, vesting_shares } = requireAccount(rows, NULL_ACCOUNT);
  if (balance > 0n || vesting_shares > 0n) refuse.supply_lost({ account: NULL_ACCOUNT });
}

/** Burns what was sent to the null account (chain_rules.md#the-account-none). */
export function clearNullAccount(state: ChainState): void {
  if (requireAccount(state.rows, NULL_ACCOUNT).vesting_shares > 0n) payOwedShares(state, NULL_ACCOUNT);
  const { balance, vesting_shares } = requireAccount(state.rows, NULL_ACCOUNT);
  const destroyed = balance + vesting_shares;
  if (balance <= 0n && vesting_shares <= 0n) return;
  if (balance > 0n) adjustBalance(state, NULL_ACCOUNT, -balance);
  if (vesting_shares > 0n) burnShares(state, vesting_shares);
  adjustSupply(state, -destroyed);
  const model = state.rows.only(economicModel);
  state.rows.put(economicModel, { ...model, burn_pool: model.burn_pool + destroyed });
}

/** The shares are removed before the next turn, so they earn no interest from here on. */
function burnShares(state: ChainState, vesting_shares: bigint): void {
  const account = { ...requireAccount(state.rows, NULL_ACCOUNT), vesting_shares: 0n, vestings: [] };
  const isExact = state.parameters.rules.exact_interest_turns;
  state.rows.put(accounts, isExact ? withHoldings(state, account, -vesting_shares) : account);
  changeTotalVesting(state, -vesting_shares);
  if (!state.parameters.rules.balance_votes) adjustProxiedVotes(state, NULL_ACCOUNT, -vesting_shares);
}
