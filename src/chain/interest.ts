import { refusals } from '../base/refusal.ts';
import { interest as interestEvent } from '../operations/virtual/interest.ts';
import { headOf, type ChainState } from '../state/chain_state.ts';
import { adjustSupply } from '../state/fees.ts';
import { hardforks, hasHardfork } from '../state/hardforks.ts';
import { requireAccount } from '../state/lookups.ts';
import { coins, INIT_SUPPLY, INTEREST_BLOCKS, ONE_HUNDRED_PERCENT } from '../state/parameters.ts';
import { accounts, type Account } from '../state/tables/account.ts';
import { economicModel } from '../state/tables/economic_model.ts';
import { adjustProxiedVotes } from '../state/votes.ts';
import { checkedInt64 } from '../values/asset.ts';
import { idCounters } from '../storage/id_counters.ts';

const refuse = refusals({ interest_out_of_range: 'holdings of {account} and pools do not fit the accumulated supply' });

const PERIOD = BigInt(INTEREST_BLOCKS);

/** Pays interest to every 2 400th account, the ones whose turn this block is (chain.md 10.4). */
export function payInterest(state: ChainState): void {
  const count = state.rows.get(idCounters, accounts.number)?.next ?? 0n;
  let paid = 0n;
  for (let id = BigInt(headOf(state).head_block_number) % PERIOD; id < count; id += PERIOD) {
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
    const raisesVotes = state.parameters.rules.balance_votes && hasHardfork(state.rows, hardforks.interestVotes);
    if (raisesVotes) adjustProxiedVotes(state, name, interest);
  }
  const account = requireAccount(state.rows, name);
  const balance = checkedInt64(account.balance + interest);
  const holdings_considered_for_interests = checkedInt64((balance + account.vesting_shares) * PERIOD);
  state.rows.put(accounts, { ...account, balance, holdings_considered_for_interests });
  return interest;
}

/** Takes an account's share out of the pools, which shrink from account to account. */
function takeInterest(state: ChainState, account: Account): bigint {
  const { head_block_number } = headOf(state);
  const holdings = account.holdings_considered_for_interests;
  if (head_block_number <= state.parameters.interestDelayBlocks) return 0n;
  const model = state.rows.only(economicModel);
  const { interest_pool_from_coinbase, interest_pool_from_fees, accumulated_supply } = model;
  if (holdings < 0n || interest_pool_from_coinbase < 0n || interest_pool_from_fees < 0n || accumulated_supply < holdings) {
    refuse.interest_out_of_range({ account: account.name });
  }
  if (holdings === 0n) return 0n;
  const fromCoinbase = (holdings * coinbaseInterest(state, interest_pool_from_coinbase)) / accumulated_supply;
  const feesOfPeriod = (interest_pool_from_fees * PERIOD) / BigInt(state.parameters.interestDelayBlocks);
  const fromFees = (feesOfPeriod * holdings) / accumulated_supply;
  if (fromCoinbase + fromFees > 0n) {
    state.rows.put(economicModel, {
      ...model,
      interest_pool_from_coinbase: interest_pool_from_coinbase - fromCoinbase,
      interest_pool_from_fees: interest_pool_from_fees - fromFees,
    });
  }
  return fromCoinbase + fromFees;
}

/** What all accounts together get out of the coinbase in a period; nothing on a chain that is smaller than the original began. */
function coinbaseInterest(state: ChainState, pool: bigint): bigint {
  const { genesis, coinbaseBlocks } = state.parameters;
  const number = BigInt(headOf(state).head_block_number);
  const period = number < PERIOD ? number : PERIOD;
  const share = ((genesis.total_supply - INIT_SUPPLY) * BigInt(genesis.interest_pool_percentage)) / ONE_HUNDRED_PERCENT;
  if (share < 0n) return 0n;
  const due = (share * period) / BigInt(coinbaseBlocks);
  return due < pool ? due : pool;
}
