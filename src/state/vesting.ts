import type { AccountName } from '../values/account_name.ts';
import { checkedInt64 } from '../values/asset.ts';
import { headOf, type ChainState } from './chain_state.ts';
import { requireAccount } from './lookups.ts';
import { accounts } from './tables/account.ts';
import { dynamicGlobalProperties } from './tables/dynamic_global_property.ts';
import { adjustProxiedVotes } from './votes.ts';

/** Turns coins of an account into vesting shares, one to one, and notes when. The balance covers them. */
export function vest(state: ChainState, name: AccountName, amount: bigint): void {
  const account = requireAccount(state.rows, name);
  state.rows.put(accounts, { ...account, last_vesting: headOf(state).time });
  shift(state, name, amount);
}

/** Turns vesting shares back into coins, one to one. A negative amount goes the other way. */
export function unvest(state: ChainState, name: AccountName, amount: bigint): void {
  shift(state, name, -amount);
}

/** Interest is paid on both kinds alike, so holdings stay; votes move where only vesting shares vote. */
function shift(state: ChainState, name: AccountName, amount: bigint): void {
  const account = requireAccount(state.rows, name);
  const balance = checkedInt64(account.balance - amount);
  const vesting_shares = checkedInt64(account.vesting_shares + amount);
  state.rows.put(accounts, { ...account, balance, vesting_shares });
  const head = headOf(state);
  state.rows.put(dynamicGlobalProperties, { ...head, total_vesting_shares: head.total_vesting_shares + amount });
  if (!state.parameters.rules.balance_votes) adjustProxiedVotes(state, name, amount);
}
