import { refusals } from '../base/refusal.ts';
import { replacing } from '../codec/struct.ts';
import { checkedInt64 } from '../values/asset.ts';
import type { AccountName } from '../values/account_name.ts';
import { headProperties, type ChainState } from './chain_state.ts';
import { requireAccount } from './lookups.ts';
import { INTEREST_BLOCKS, shownCoins, type ChainParameters } from './parameters.ts';
import { accountRow, accounts, type Account } from './tables/account.ts';
import { adjustProxiedVotes } from './votes.ts';

const refuse = refusals({
  insufficient_coin_funds: {
    text: '{account} has {balance}, less than the {amount} that is taken from it',
    lineage: 'Insufficient {coin} funds',
  },
});

// Every transfer runs this three times.
const withBalance = replacing(accountRow, ['balance', 'holdings_considered_for_interests']);
const withHoldingsOnly = replacing(accountRow, ['holdings_considered_for_interests']);

/**
 * Number of blocks until the account's next interest payment: 1 to 2 400, or 0 to 2 399 in the lineage
 * (chain_rules.md#balance-changes).
 */
export function turnsUntilInterest(
  { rules }: ChainParameters,
  { id }: Pick<Account, 'id'>,
  headBlockNumber: number,
): number {
  // Account ids are consecutive, so an id is exact as a number.
  const turns =
    (INTEREST_BLOCKS + (Number(id) % INTEREST_BLOCKS) - (headBlockNumber % INTEREST_BLOCKS)) % INTEREST_BLOCKS;
  return turns === 0 && rules.exact_interest_turns ? INTEREST_BLOCKS : turns;
}

/** The account with its liquid balance and the holdings that earn interest changed. A negative balance is refused. */
function withBalanceChange(state: ChainState, account: Account, delta: bigint): Account {
  const balance = checkedInt64(account.balance + delta);
  if (balance < 0n) refuseDebt(state.parameters, account, -delta);
  return withBalance(account, { balance, holdings_considered_for_interests: changedHoldings(state, account, delta) });
}

function refuseDebt(parameters: ChainParameters, account: Account, taken: bigint): never {
  return refuse.insufficient_coin_funds({
    account: account.name,
    balance: shownCoins(parameters, account.balance),
    amount: shownCoins(parameters, taken),
    coin: parameters.upperCoinName,
  });
}

/** The account with `delta` more earning interest for the rest of its period. */
export function withHoldings(state: ChainState, account: Account, delta: bigint): Account {
  return withHoldingsOnly(account, { holdings_considered_for_interests: changedHoldings(state, account, delta) });
}

function changedHoldings(state: ChainState, account: Account, delta: bigint): bigint {
  const turns = turnsUntilInterest(state.parameters, account, headProperties(state).head_block_number);
  return checkedInt64(account.holdings_considered_for_interests + delta * BigInt(turns));
}

/** Changes an account's liquid balance and what depends on it: interest holdings and, where coins vote, votes. */
export function adjustBalance(state: ChainState, name: AccountName, delta: bigint): void {
  const account = requireAccount(state.rows, name);
  state.rows.put(accounts, withBalanceChange(state, account, delta));
  if (state.parameters.rules.balance_votes) adjustProxiedVotes(state, name, delta);
}
