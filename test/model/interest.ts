import { emitVirtual } from './history.ts';
import { adjustSupply } from './money.ts';
import { interestSupply, type Parameters } from './parameters.ts';
import { payOwedAtTurn } from './protection.ts';
import type { Account } from './records.ts';
import type { State } from './state.ts';
import { INTEREST_BLOCKS } from './turns.ts';
import { COIN, smaller, u64 } from './values.ts';
import { propagate } from './votes.ts';

// chain_rules.md#interest, and the rules about holdings and pools.

export function payInterest(state: State): void {
  let paid = 0n;
  for (const name of namesInTurn(state)) paid += payAccount(state, name);
  adjustSupply(state, paid);
}

/** The accounts whose turn the block is: ids N mod 2400, + 2400, … */
function namesInTurn(state: State): string[] {
  const turn = state.globals.number % INTEREST_BLOCKS;
  return [...state.accounts.values()].filter(({ id }) => id % INTEREST_BLOCKS === turn).map(({ name }) => name);
}

function payAccount(state: State, name: string): bigint {
  const interest = takeInterest(state, state.account(name));
  if (interest > 0n) {
    emitVirtual(state, 'interest', { owner: name, interest: { amount: interest, symbol: COIN } });
    if (state.hasHardfork(1) && !state.rules.votesAreVestingShares) propagate(state, name, interest);
    state.changeAccount(name, { balance: state.account(name).balance + interest });
  }
  payOwedAtTurn(state, name);
  const { balance, vesting } = state.account(name);
  state.changeAccount(name, { holdings: (balance + vesting) * BigInt(INTEREST_BLOCKS) });
  return interest;
}

/** The interest of an account, taken from the pools. */
function takeInterest(state: State, account: Account): bigint {
  const { parameters, economy, globals, rules } = state;
  if (globals.number <= parameters.blocksPerDay) return 0n;
  const held = countedHoldings(state, account);
  if (held === 0n) return 0n;
  const period = BigInt(Math.min(INTEREST_BLOCKS, globals.number));
  const supply = economy.accumulatedSupply;
  const fromCoinbase = (held * smaller(economy.interestFromCoinbase, perPeriod(parameters, period))) / supply;
  // A pool that was overdrawn pays nothing, where the lineage would refuse the block.
  const fees = economy.interestFromFees < 0n ? 0n : economy.interestFromFees;
  const feesPerPeriod = (fees * BigInt(INTEREST_BLOCKS)) / BigInt(parameters.blocksPerDay);
  const share = (feesPerPeriod * held) / supply;
  const fromFees = rules.feeInterestStaysInPool ? smaller(share, fees) : share;
  state.changeEconomy({
    interestFromCoinbase: economy.interestFromCoinbase - fromCoinbase,
    interestFromFees: economy.interestFromFees - fromFees,
  });
  return fromCoinbase + fromFees;
}

function countedHoldings(state: State, { holdings }: Account): bigint {
  const most = state.economy.accumulatedSupply;
  if (holdings < 0n) return 0n;
  if (holdings <= most) return holdings;
  return state.rules.holdingsAreClamped ? most : 0n;
}

/** Returns a period's interest out of the coinbase; in 64 bits as in the lineage, unless the rules keep it exact. */
function perPeriod(parameters: Parameters, period: bigint): bigint {
  const { interestPercentage, coinbaseBlocks, rules } = parameters;
  const bits = (value: bigint): bigint => (rules.initialSupplyIsTheGenesis ? value : u64(value));
  const whole = bits(bits(interestSupply(parameters)) * interestPercentage) / 10_000n;
  return bits(whole * period) / coinbaseBlocks;
}

/** 10.5: the supply at the end of each block. */
export function recordSupply(state: State): void {
  const { number, supply } = state.globals;
  const slot = number % INTEREST_BLOCKS;
  const before = number >= INTEREST_BLOCKS ? (state.historicSupply.get(slot) ?? 0n) : 0n;
  state.historicSupply.set(slot, supply);
  state.changeEconomy({ accumulatedSupply: state.economy.accumulatedSupply - before + supply });
}
