import { replacing } from '../codec/struct.ts';
import type { RowReader } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { checkedInt64, least } from '../values/asset.ts';
import { withHoldings } from './balance.ts';
import { headProperties, type ChainState } from './chain_state.ts';
import { requireAccount } from './lookups.ts';
import type { ChainParameters } from './parameters.ts';
import { accountRow, accounts, type Account } from './tables/account.ts';
import { dynamicGlobalProperties, globalPropertiesRow } from './tables/dynamic_global_property.ts';
import {
  economicModel,
  economicModelRow,
  FIRST_PROTECTION_INDEX,
  type EconomicModel,
} from './tables/economic_model.ts';
import { protectionMarks, type ProtectionMark } from './tables/protection_mark.ts';
import { adjustProxiedVotes } from './votes.ts';

// Coins that enter circulation for the first time dilute all existing holdings. Until enough of the coin is vesting, an
// index grows with each of them, and vesting shares grow with the index: the additional shares are issued when an
// account is touched (chain_rules.md#dilution-protection).

const LARGEST_INDEX = 2n ** 127n; // beyond this, products would not fit the integer widths available to all implementations
const WHOLE = 100n;

const withIndex = replacing(economicModelRow, ['protection_index', 'protection_bound']);
const withBound = replacing(economicModelRow, ['protection_bound']);
const withIssued = replacing(economicModelRow, ['protection_issued']);
const withShares = replacing(accountRow, ['vesting_shares']);
const withSums = replacing(globalPropertiesRow, ['current_supply', 'total_vesting_shares']);

/** Vesting shares are protected until they are this percentage of the coin; 0 without protection. */
export function protectionPercent({ rules, genesis, isPrivateNet }: ChainParameters): number {
  return rules.dilution_protection && !isPrivateNet ? genesis.dilution_protection_percent : 0;
}

/** Grows the index because coins are about to enter circulation for the first time, other than as interest. */
export function protectHolders(state: ChainState, coins: bigint): void {
  const percent = BigInt(protectionPercent(state.parameters));
  if (percent === 0n || coins === 0n) return;
  const { current_supply, total_vesting_shares } = headProperties(state);
  const model = state.rows.only(economicModel);
  const { protection_index: index, protection_bound: bound } = model;
  const unvested = current_supply - total_vesting_shares;
  if (total_vesting_shares <= 0n || WHOLE * bound >= percent * (unvested + bound)) return;
  const growth = (index * coins) / unvested;
  if (index + growth > LARGEST_INDEX) return;
  const protection_bound = bound + (bound * growth + index - 1n) / index;
  state.rows.put(economicModel, withIndex(model, { protection_index: index + growth, protection_bound }));
}

/**
 * The part of a withdrawal from the promotion pool that has never been in circulation: all of it until the initial pool
 * is used up.
 */
export function firstTimeCoins(
  { initial_promotion_pool, promotion_withdrawn }: EconomicModel,
  withdrawn: bigint,
): bigint {
  return least(withdrawn, initial_promotion_pool - promotion_withdrawn);
}

/**
 * Changes the total of vesting shares other than by protection; the bound of what is and will be owed changes with it.
 */
export function changeTotalVesting(state: ChainState, delta: bigint): void {
  const head = headProperties(state);
  const total_vesting_shares = head.total_vesting_shares + delta;
  state.rows.put(
    dynamicGlobalProperties,
    withSums(head, { current_supply: head.current_supply, total_vesting_shares }),
  );
  if (protectionPercent(state.parameters) === 0) return;
  const model = state.rows.only(economicModel);
  const protection_bound = total_vesting_shares === 0n ? 0n : checkedInt64(model.protection_bound + delta);
  state.rows.put(economicModel, withBound(model, { protection_bound }));
}

/** The shares that protection owes to an account and has not issued yet. */
export function owedShares(rows: RowReader, parameters: ChainParameters, account: Account): bigint {
  if (account.vesting_shares <= 0n || protectionPercent(parameters) === 0) return 0n;
  return computeOwedShares(rows, account, rows.get(protectionMarks, account.name));
}

/**
 * The same on a chain with protection, for an account that holds shares; `mark` holds the index up to which it has been
 * paid.
 */
export function computeOwedShares(
  rows: RowReader,
  { vesting_shares }: Account,
  mark: ProtectionMark | undefined,
): bigint {
  const paidUpTo = mark?.index ?? FIRST_PROTECTION_INDEX;
  return (vesting_shares * rows.only(economicModel).protection_index) / paidUpTo - vesting_shares;
}

/** Issues what an account is owed, before its vesting shares change; returns the amount. */
export function creditOwedShares(state: ChainState, name: AccountName): bigint {
  if (protectionPercent(state.parameters) === 0) return 0n;
  const owed = owedShares(state.rows, state.parameters, requireAccount(state.rows, name));
  markPaid(state, name);
  if (owed > 0n) issueShares(state, name, owed);
  return owed;
}

/** The same at an account's turn for interest, where amounts below one unit keep accumulating. */
export function creditOwedSharesAtTurn(state: ChainState, name: AccountName): bigint {
  const owed = owedShares(state.rows, state.parameters, requireAccount(state.rows, name));
  return owed === 0n ? 0n : creditOwedShares(state, name);
}

function markPaid({ rows }: ChainState, account: AccountName): void {
  const { protection_index: index } = rows.only(economicModel);
  if (rows.get(protectionMarks, account)?.index !== index) rows.put(protectionMarks, { account, index });
}

function issueShares(state: ChainState, name: AccountName, owed: bigint): void {
  const account = requireAccount(state.rows, name);
  const vesting_shares = checkedInt64(account.vesting_shares + owed);
  state.rows.put(accounts, withHoldings(state, withShares(account, { vesting_shares }), owed));
  const head = headProperties(state);
  const sums = { current_supply: head.current_supply + owed, total_vesting_shares: head.total_vesting_shares + owed };
  state.rows.put(dynamicGlobalProperties, withSums(head, sums));
  const model = state.rows.only(economicModel);
  state.rows.put(economicModel, withIssued(model, { protection_issued: model.protection_issued + owed }));
  adjustProxiedVotes(state, name, owed);
}
