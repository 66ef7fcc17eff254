import { emitVirtual } from './history.ts';
import { creditVesting } from './money.ts';
import { payOwedBeforeChange, protectHolders } from './protection.ts';
import type { State } from './state.ts';
import { smaller, VESTS } from './values.ts';

const FEE_DAYS = 7n;

/** chain_rules.md#producer-reward: the producer's reward, also when it is 0. */
export function rewardProducer(state: State, producer: string): void {
  const { fromCoinbase, fromFees } = shares(state, producer);
  const { miningFromCoinbase, miningFromFees } = state.economy;
  state.changeEconomy({
    miningFromCoinbase: miningFromCoinbase - fromCoinbase,
    miningFromFees: miningFromFees - fromFees,
  });
  const reward = fromCoinbase + fromFees;
  protectHolders(state, fromCoinbase);
  if (reward > 0n) payOwedBeforeChange(state, producer);
  emitVirtual(state, 'producer_reward', { producer, vesting_shares: { amount: reward, symbol: VESTS } });
  creditVesting(state, producer, reward);
}

function shares(state: State, producer: string): { readonly fromCoinbase: bigint; readonly fromFees: bigint } {
  const { blocksPerDay } = state.parameters;
  if (state.globals.number <= blocksPerDay) return { fromCoinbase: 0n, fromFees: 0n };
  const weight = producerWeight(state, producer);
  const normalization = BigInt(state.schedule.payNormalization);
  const { blockReward, miningFromCoinbase, miningFromFees } = state.economy;
  const feesPerBlock = miningFromFees / (FEE_DAYS * BigInt(blocksPerDay));
  return {
    fromCoinbase: smaller((blockReward * weight) / normalization, miningFromCoinbase),
    fromFees: smaller((feesPerBlock * weight) / normalization, miningFromFees),
  };
}

function producerWeight(state: State, producer: string): bigint {
  const { timeshareWeight, top19Weight } = state.schedule;
  const mark = state.witnesses.get(producer)?.schedule ?? 'none';
  return BigInt(mark === 'timeshare' ? timeshareWeight : mark === 'top19' ? top19Weight : 0);
}
