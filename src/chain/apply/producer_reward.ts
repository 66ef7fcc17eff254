import type { BlockHeader } from '../../blocks/header.ts';
import { replacing } from '../../codec/struct.ts';
import { payOwedShares } from '../../operations/virtual/interest.ts';
import { producerReward } from '../../operations/virtual/producer_reward.ts';
import { withHoldings } from '../../state/balance.ts';
import { headProperties, type ChainState } from '../../state/chain_state.ts';
import { changeTotalVesting, protectHolders } from '../../state/dilution_protection.ts';
import { adjustSupply } from '../../state/fees.ts';
import { requireAccount } from '../../state/lookups.ts';
import { vests } from '../../state/parameters.ts';
import { accountRow, accounts } from '../../state/tables/account.ts';
import { economicModel, economicModelRow } from '../../state/tables/economic_model.ts';
import { scheduledBy, witnesses } from '../../state/tables/witness.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import { adjustProxiedVotes } from '../../state/votes.ts';
import type { AccountName } from '../../values/account_name.ts';
import { checkedInt64, least } from '../../values/asset.ts';

const withShares = replacing(accountRow, ['vesting_shares']);
const withPools = replacing(economicModelRow, ['mining_pool_from_coinbase', 'mining_pool_from_fees']);

const FEE_POOL_DAYS = 7n; // the fee pool is paid out over a week

/**
 * Pays the producer in vesting shares, from the coinbase and from fees (chain_rules.md#producer-reward). Recorded even
 * when it is zero.
 */
export function payProducer(state: ChainState, { witness: producer }: BlockHeader): void {
  const { fromCoinbase, fromFees } = takeReward(state, producer);
  const reward = fromCoinbase + fromFees;
  if (reward > 0n) {
    protectHolders(state, fromCoinbase);
    payOwedShares(state, producer);
  }
  state.emit(producerReward.of({ producer, vesting_shares: vests(state.parameters, reward) }));
  if (reward > 0n) addShares(state, producer, reward);
  // A reward of zero, too, moves the virtual time of the witnesses that the producer votes for.
  adjustProxiedVotes(state, producer, reward);
}

function addShares(state: ChainState, producer: AccountName, reward: bigint): void {
  const account = requireAccount(state.rows, producer);
  const vesting_shares = checkedInt64(account.vesting_shares + reward);
  state.rows.put(accounts, withHoldings(state, withShares(account, { vesting_shares }), reward));
  adjustSupply(state, reward);
  changeTotalVesting(state, reward);
}

interface Reward {
  readonly fromCoinbase: bigint;
  readonly fromFees: bigint;
}

const NOTHING: Reward = { fromCoinbase: 0n, fromFees: 0n };

function takeReward(state: ChainState, producer: string): Reward {
  const { parameters, rows } = state;
  if (headProperties(state).head_block_number <= parameters.interestDelayBlocks) return NOTHING;
  const { top19_weight, timeshare_weight, witness_pay_normalization_factor } = rows.only(witnessSchedule);
  const mark = rows.get(witnesses, producer)?.schedule;
  const weight = BigInt(mark === scheduledBy.votes ? top19_weight : mark === scheduledBy.time ? timeshare_weight : 0);
  const whole = BigInt(witness_pay_normalization_factor);
  const model = rows.only(economicModel);
  const feesOfBlock = model.mining_pool_from_fees / (FEE_POOL_DAYS * BigInt(parameters.blocksPerDay));
  const fromCoinbase = least((model.coinbase_block_reward * weight) / whole, model.mining_pool_from_coinbase);
  const fromFees = least((feesOfBlock * weight) / whole, model.mining_pool_from_fees);
  if (fromCoinbase + fromFees === 0n) return NOTHING;
  const pools = {
    mining_pool_from_coinbase: model.mining_pool_from_coinbase - fromCoinbase,
    mining_pool_from_fees: model.mining_pool_from_fees - fromFees,
  };
  rows.put(economicModel, withPools(model, pools));
  return { fromCoinbase, fromFees };
}
