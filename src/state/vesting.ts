import type { AccountName } from '../values/account_name.ts';
import { checkedInt64 } from '../values/asset.ts';
import type { Seconds } from '../values/time.ts';
import { headProperties, type ChainState } from './chain_state.ts';
import { changeTotalVesting } from './dilution_protection.ts';
import { dueTime } from './due_times.ts';
import { requireAccount } from './lookups.ts';
import type { ChainParameters } from './parameters.ts';
import { accounts, type Account } from './tables/account.ts';
import { adjustProxiedVotes } from './votes.ts';

/** The number of time buckets per minimum vesting duration for what an account vested. */
const BUCKETS = 12;

/**
 * Converts coins of an account to vesting shares, one to one, locked for a while. The balance must cover them, and
 * nothing be owed. Refuses a lock that no block would end.
 */
export function vest(state: ChainState, name: AccountName, amount: bigint): void {
  const lockSeconds = minimumVestingSeconds(state.parameters);
  if (lockSeconds > 0) {
    dueTime(state, 'the end of the lock on these vesting shares', lockSeconds);
    const account = requireAccount(state.rows, name);
    state.rows.put(accounts, { ...account, vestings: withVesting(state, account, amount) });
  }
  shift(state, name, amount);
}

type VestingRules = Pick<ChainParameters, 'rules' | 'genesis'>;

/** The time for which vesting shares stay locked on a chain; 0 where they are not. */
export function minimumVestingSeconds({ rules, genesis }: VestingRules): number {
  return rules.minimum_vesting ? genesis.minimum_vesting_seconds : 0;
}

/**
 * The account's vestings with another one. Those in the same time bucket are merged: so a tiny amount sent by someone
 * else only extends the lock of shares from the same twelfth of the duration, and there are at most 13 at a time.
 */
function withVesting(state: ChainState, account: Account, amount: bigint): Account['vestings'] {
  const { time } = headProperties(state);
  const bucketSeconds = Math.trunc((minimumVestingSeconds(state.parameters) + BUCKETS - 1) / BUCKETS);
  const bucketNumber = (latest: Seconds): number => Math.trunc(latest / bucketSeconds);
  const locked = lockedVestings(state, account);
  const last = locked.at(-1);
  if (last === undefined || bucketNumber(last.latest) !== bucketNumber(time))
    return [...locked, { latest: time, shares: amount }];
  return [...locked.slice(0, -1), { latest: time, shares: last.shares + amount }];
}

/** The vestings that can't be withdrawn yet, oldest first. */
export function lockedVestings(state: ChainState, account: Account): Account['vestings'] {
  return lockedShares(state.parameters, account, headProperties(state).time);
}

/** The vestings that can't be withdrawn yet at that time, oldest first. */
export function lockedShares(
  rules: VestingRules,
  { vestings }: Pick<Account, 'vestings'>,
  time: Seconds,
): Account['vestings'] {
  return vestings.filter(({ latest }) => unlockTime(rules, latest) > time);
}

/** The time at which shares can be withdrawn that were vested at another one. */
export function unlockTime(rules: VestingRules, latest: Seconds): Seconds {
  return latest + minimumVestingSeconds(rules);
}

/**
 * Converts vesting shares of an account that is owed nothing back to coins, one to one. A negative amount converts the
 * other way.
 */
export function unvest(state: ChainState, name: AccountName, amount: bigint): void {
  shift(state, name, -amount);
}

/** Interest is paid on both alike, so interest holdings do not change; votes change if only vesting shares vote. */
function shift(state: ChainState, name: AccountName, amount: bigint): void {
  const account = requireAccount(state.rows, name);
  const balance = checkedInt64(account.balance - amount);
  const vesting_shares = checkedInt64(account.vesting_shares + amount);
  state.rows.put(accounts, { ...account, balance, vesting_shares });
  changeTotalVesting(state, amount);
  if (!state.parameters.rules.balance_votes) adjustProxiedVotes(state, name, amount);
}
