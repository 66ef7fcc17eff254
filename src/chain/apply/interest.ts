import { interest as interestEvent, payOwedSharesAtTurn } from '../../operations/virtual/interest.ts';
import { headProperties, type ChainState } from '../../state/chain_state.ts';
import { adjustSupply } from '../../state/fees.ts';
import { hardforkRules, currentRule } from '../../state/rules/index.ts';
import { requireAccount } from '../../state/lookups.ts';
import { coins, INTEREST_BLOCKS, ONE_HUNDRED_PERCENT } from '../../state/parameters.ts';
import { accounts, type Account } from '../../state/tables/account.ts';
import { economicModel, type EconomicModel } from '../../state/tables/economic_model.ts';
import { adjustProxiedVotes } from '../../state/votes.ts';
import { checkedInt64, least } from '../../values/asset.ts';
import { idCounters } from '../../storage/id_counters.ts';

const PERIOD = BigInt(INTEREST_BLOCKS);

/** Pays interest to one in 2 400 accounts, chosen by the number of the block (chain_rules.md#interest). */
export function payInterest(state: ChainState): void {
  const count = state.rows.get(idCounters, accounts.number)?.next ?? 0n;
  let paid = 0n;
  for (let id = BigInt(headProperties(state).head_block_number) % PERIOD; id < count; id += PERIOD) {
    const [account] = state.rows.range(accounts.by_id, { from: [id], to: [id], limit: 1 });
    if (account === undefined) break;
    paid += payAccount(state, account);
  }
  if (paid > 0n) adjustSupply(state, paid);
}

function payAccount(state: ChainState, { name }: Account): bigint {
  const interest = takeInterest(state, requireAccount(state.rows, name));
  if (interest > 0n) {
    state.emit(interestEvent.of({ owner: name, interest: coins(state.parameters, interest) }));
    if (currentRule(state.rows, state.parameters.ruleSet, hardforkRules.interest_changes_votes))
      adjustProxiedVotes(state, name, interest);
  }
  payOwedSharesAtTurn(state, name);
  const account = requireAccount(state.rows, name);
  const balance = checkedInt64(account.balance + interest);
  const holdings_considered_for_interests = checkedInt64((balance + account.vesting_shares) * PERIOD);
  state.rows.put(accounts, { ...account, balance, holdings_considered_for_interests });
  return interest;
}

/** Takes an account's share out of the pools, which shrink from account to account. */
function takeInterest(state: ChainState, account: Account): bigint {
  if (headProperties(state).head_block_number <= state.parameters.interestDelayBlocks) return 0n;
  const model = state.rows.only(economicModel);
  const holdings = countedHoldings(state, account, model.accumulated_supply);
  if (holdings === 0n) return 0n;
  const fromCoinbase =
    (holdings * coinbaseInterest(state, model.interest_pool_from_coinbase)) / model.accumulated_supply;
  const fromFees = feeInterest(state, model, holdings);
  if (fromCoinbase + fromFees === 0n) return 0n;
  state.rows.put(economicModel, {
    ...model,
    interest_pool_from_coinbase: model.interest_pool_from_coinbase - fromCoinbase,
    interest_pool_from_fees: model.interest_pool_from_fees - fromFees,
  });
  return fromCoinbase + fromFees;
}

/**
 * The holdings of an account in its period, as far as they count. They can exceed all coins of the period when the
 * account has nearly all of them and takes from the promotion pool. The lineage refused the block in this case; that is
 * not done here, because no block could ever follow.
 */
function countedHoldings(
  state: ChainState,
  { name, holdings_considered_for_interests: holdings }: Account,
  most: bigint,
): bigint {
  if (holdings >= 0n && holdings <= most) return holdings;
  if (holdings > 0n && state.parameters.rules.excess_holdings_count) return most;
  state.remark(`holdings of ${name} count as nothing for interest: ${holdings} is outside 0 to ${most}`);
  return 0n;
}

function feeInterest(
  { parameters }: ChainState,
  { interest_pool_from_fees: pool, accumulated_supply }: EconomicModel,
  holdings: bigint,
): bigint {
  // With fewer than 2 400 blocks a day, a period takes more than the pool has; in the lineage, it then stays below 0.
  if (pool <= 0n) return 0n;
  const share = (((pool * PERIOD) / BigInt(parameters.interestDelayBlocks)) * holdings) / accumulated_supply;
  return parameters.rules.interest_within_fee_pool ? least(share, pool) : share;
}

/**
 * The interest of all accounts from the coinbase in a period; zero on a chain with less supply than the lineage's
 * initial one.
 */
function coinbaseInterest(state: ChainState, pool: bigint): bigint {
  const { genesis, coinbaseBlocks, initialSupply } = state.parameters;
  const number = BigInt(headProperties(state).head_block_number);
  const period = number < PERIOD ? number : PERIOD;
  const share =
    ((genesis.total_supply - initialSupply) * BigInt(genesis.interest_pool_percentage)) / ONE_HUNDRED_PERCENT;
  if (share < 0n) return 0n;
  return least((share * period) / BigInt(coinbaseBlocks), pool);
}
