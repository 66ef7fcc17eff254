import type { AccountName } from '../values/account_name.ts';
import { checkedInt64 } from '../values/asset.ts';
import type { Seconds } from '../values/time.ts';
import { headOf, type ChainState } from './chain_state.ts';
import { changeTotalVesting } from './dilution_protection.ts';
import { requireAccount } from './lookups.ts';
import { accounts, type Account } from './tables/account.ts';
import { adjustProxiedVotes } from './votes.ts';

/** What an account vested is put into so many buckets a minimum vesting duration. */
const BUCKETS = 12;

/** Turns coins of an account into vesting shares, one to one, which stay for a while. The balance covers them, and nothing is owed. */
export function vest(state: ChainState, name: AccountName, amount: bigint): void {
  if (minimumVestingSeconds(state) > 0) {
    const account = requireAccount(state.rows, name);
    state.rows.put(accounts, { ...account, vestings: withVesting(state, account, amount) });
  }
  shift(state, name, amount);
}

function minimumVestingSeconds({ parameters: { rules, genesis } }: ChainState): number {
  return rules.minimum_vesting ? genesis.minimum_vesting_seconds : 0;
}

/**
 * The vestings with another one. Those of one bucket of time are one: so a trifle that somebody adds keeps only what came in the same
 * twelfth of the duration a little longer, and at most 13 live at a time.
 */
function withVesting(state: ChainState, account: Account, amount: bigint): Account['vestings'] {
  const { time } = headOf(state);
  const bucketSeconds = Math.trunc((minimumVestingSeconds(state) + BUCKETS - 1) / BUCKETS);
  const bucketOf = (latest: Seconds): number => Math.trunc(latest / bucketSeconds);
  const locked = lockedVestings(state, account);
  const last = locked.at(-1);
  if (last === undefined || bucketOf(last.latest) !== bucketOf(time)) return [...locked, { latest: time, shares: amount }];
  return [...locked.slice(0, -1), { latest: time, shares: last.shares + amount }];
}

/** The vestings that may not be withdrawn yet, oldest first. */
export function lockedVestings(state: ChainState, { vestings }: Account): Account['vestings'] {
  const { time } = headOf(state);
  return vestings.filter(({ latest }) => latest + minimumVestingSeconds(state) > time);
}

/** Turns vesting shares back into coins, one to one, of an account to which nothing is owed. A negative amount goes the other way. */
export function unvest(state: ChainState, name: AccountName, amount: bigint): void {
  shift(state, name, -amount);
}

/** Interest is paid on both kinds alike, so holdings stay; votes move where only vesting shares vote. */
function shift(state: ChainState, name: AccountName, amount: bigint): void {
  const account = requireAccount(state.rows, name);
  const balance = checkedInt64(account.balance - amount);
  const vesting_shares = checkedInt64(account.vesting_shares + amount);
  state.rows.put(accounts, { ...account, balance, vesting_shares });
  changeTotalVesting(state, amount);
  if (!state.parameters.rules.balance_votes) adjustProxiedVotes(state, name, amount);
}
