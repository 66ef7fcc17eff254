import type { BlockHeader } from '../blocks/header.ts';
import { producerReward } from '../operations/virtual/producer_reward.ts';
import { withHoldings } from '../state/balance.ts';
import { headOf, type ChainState } from '../state/chain_state.ts';
import { requireAccount } from '../state/lookups.ts';
import { vests } from '../state/parameters.ts';
import { accounts } from '../state/tables/account.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { economicModel } from '../state/tables/economic_model.ts';
import { scheduledBy, witnesses } from '../state/tables/witness.ts';
import { witnessSchedule } from '../state/tables/witness_schedule.ts';
import { adjustProxiedVotes } from '../state/votes.ts';
import { checkedInt64 } from '../values/asset.ts';

const FEE_POOL_DAYS = 7n; // the pool of fees is paid out over a week

/** Pays the producer in vesting shares, out of the coinbase and of fees (chain.md 10.3). Noted even when it is nothing. */
export function payProducer(state: ChainState, { witness: producer }: BlockHeader): void {
  const reward = takeReward(state, producer);
  state.emit(producerReward.of({ producer, vesting_shares: vests(state.parameters, reward) }));
  if (reward === 0n) return;
  const account = requireAccount(state.rows, producer);
  const vesting_shares = checkedInt64(account.vesting_shares + reward);
  state.rows.put(accounts, withHoldings(state, { ...account, vesting_shares }, reward));
  adjustProxiedVotes(state, producer, reward);
  const head = headOf(state);
  state.rows.put(dynamicGlobalProperties, {
    ...head,
    current_supply: head.current_supply + reward,
    total_vesting_shares: head.total_vesting_shares + reward,
  });
}

function takeReward(state: ChainState, producer: string): bigint {
  const { parameters, rows } = state;
  if (headOf(state).head_block_number <= parameters.interestDelayBlocks) return 0n;
  const { top19_weight, timeshare_weight, witness_pay_normalization_factor } = rows.only(witnessSchedule);
  const mark = rows.get(witnesses, producer)?.schedule;
  const weight = BigInt(mark === scheduledBy.votes ? top19_weight : mark === scheduledBy.time ? timeshare_weight : 0);
  const whole = BigInt(witness_pay_normalization_factor);
  const model = rows.only(economicModel);
  const feesOfBlock = model.mining_pool_from_fees / (FEE_POOL_DAYS * BigInt(parameters.blocksPerDay));
  const fromCoinbase = least((model.coinbase_block_reward * weight) / whole, model.mining_pool_from_coinbase);
  const fromFees = least((feesOfBlock * weight) / whole, model.mining_pool_from_fees);
  if (fromCoinbase + fromFees === 0n) return 0n;
  rows.put(economicModel, {
    ...model,
    mining_pool_from_coinbase: model.mining_pool_from_coinbase - fromCoinbase,
    mining_pool_from_fees: model.mining_pool_from_fees - fromFees,
  });
  return fromCoinbase + fromFees;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
