import { refusals } from '../base/refusal.ts';
import { checkedInt64 } from '../values/asset.ts';
import type { AccountName } from '../values/account_name.ts';
import { headOf, type ChainState } from './chain_state.ts';
import { requireAccount } from './lookups.ts';
import { INTEREST_BLOCKS } from './parameters.ts';
import { accounts, type Account } from './tables/account.ts';
import { adjustProxiedVotes } from './votes.ts';

const refuse = refusals({ insufficient_coin_funds: 'Insufficient {coin} funds' });

/** How many blocks are left until the account's next turn for interest, 0 to 2 399 (chain.md 10.2). */
function turnsUntilInterest(account: Account, headBlockNumber: number): bigint {
  const period = BigInt(INTEREST_BLOCKS);
  return (period + (account.id % period) - (BigInt(headBlockNumber) % period)) % period;
}

/** The account with a change of its liquid balance, and of the holdings that earn interest. Refused below zero. */
export function withBalanceChange(state: ChainState, account: Account, delta: bigint): Account {
  const balance = checkedInt64(account.balance + delta);
  if (balance < 0n) refuse.insufficient_coin_funds({ coin: state.parameters.coinSymbol });
  return withHoldings(state, { ...account, balance }, delta);
}

/** The account with `delta` more that earns interest for the rest of its period. */
export function withHoldings(state: ChainState, account: Account, delta: bigint): Account {
  const turns = turnsUntilInterest(account, headOf(state).head_block_number);
  const holdings_considered_for_interests = checkedInt64(account.holdings_considered_for_interests + delta * turns);
  return { ...account, holdings_considered_for_interests };
}

/** Changes an account's liquid balance with all that follows: interest holdings and, where coins vote, votes. */
export function adjustBalance(state: ChainState, name: AccountName, delta: bigint): void {
  const account = requireAccount(state.rows, name);
  state.rows.put(accounts, withBalanceChange(state, account, delta));
  if (state.parameters.rules.balance_votes) adjustProxiedVotes(state, name, delta);
}
