import { emitVirtual } from './history.ts';
import type { State } from './state.ts';
import { turnsUntilInterest } from './turns.ts';
import { VESTS } from './values.ts';
import { propagate } from './votes.ts';

// chain_rules.md#dilution-protection.

const FRACTION = 64n;
const MOST_GROWTH = 2n ** 127n;
/** G at genesis: one, with 64 binary places. */
export const initialGrowth = 1n << FRACTION;

const isProtected = (state: State): boolean => state.parameters.protectionPercent > 0n;

/** Coins that dilute are about to enter circulation: G and W take their step. */
export function protectHolders(state: State, coins: bigint): void {
  if (!isProtected(state)) return;
  const { supply, totalVesting } = state.globals;
  const { growth, owedBound } = state.economy;
  const free = supply - totalVesting;
  if (totalVesting <= 0n || !(100n * owedBound < state.parameters.protectionPercent * (free + owedBound))) return;
  const step = (growth * coins) / free;
  if (growth + step > MOST_GROWTH) return;
  const bound = (owedBound * step + growth - 1n) / growth;
  state.changeEconomy({ growth: growth + step, owedBound: owedBound + bound });
}

/** A withdrawal from the promotion pool counts until the initial pool has been reached. */
export function protectAgainstPromotion(state: State, withdrawn: bigint): void {
  const { countedPromotion, initialPromotionPool } = state.economy;
  const left = initialPromotionPool - countedPromotion;
  const counted = withdrawn < left ? withdrawn : left;
  protectHolders(state, counted);
  state.changeEconomy({ countedPromotion: countedPromotion + counted });
}

export function owedShares(state: State, name: string): bigint {
  const { vesting, growth } = state.account(name);
  return (vesting * state.economy.growth) / growth - vesting;
}

/** Before an account's vesting shares change: it is paid, and G is its own from now on. */
export function payOwedBeforeChange(state: State, name: string): void {
  if (!isProtected(state)) return;
  payOwed(state, name);
  state.changeAccount(name, { growth: state.economy.growth });
}

/** At an account's interest turn: what is owed is paid; dust adds up. */
export function payOwedAtTurn(state: State, name: string): void {
  if (!isProtected(state) || owedShares(state, name) === 0n) return;
  payOwed(state, name);
  state.changeAccount(name, { growth: state.economy.growth });
}

function payOwed(state: State, name: string): void {
  const owed = owedShares(state, name);
  if (owed === 0n) return;
  emitVirtual(state, 'interest', { owner: name, interest: { amount: owed, symbol: VESTS } });
  const { id, vesting, holdings } = state.account(name);
  state.changeAccount(name, { vesting: vesting + owed, holdings: holdings + owed * turnsUntilInterest(state, id) });
  state.changeGlobals({ totalVesting: state.globals.totalVesting + owed, supply: state.globals.supply + owed });
  state.changeEconomy({ issued: state.economy.issued + owed });
  propagate(state, name, owed);
}

/** Every change of the total that is no payment changes W equally. */
export function changeTotalVesting(state: State, delta: bigint): void {
  const totalVesting = state.globals.totalVesting + delta;
  state.changeGlobals({ totalVesting });
  if (isProtected(state))
    state.changeEconomy({ owedBound: totalVesting === 0n ? 0n : state.economy.owedBound + delta });
}
