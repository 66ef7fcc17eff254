import { changeTotalVesting } from './protection.ts';
import { require } from './refusal.ts';
import type { State } from './state.ts';
import { turnsUntilInterest } from './turns.ts';
import { propagate } from './votes.ts';

// chain_rules.md#balance-changes: coins move.

/** A change of a liquid balance, with its holdings and votes. */
export function adjustBalance(state: State, name: string, delta: bigint): void {
  const { id, balance, holdings } = state.account(name);
  require(balance + delta >= 0n, 'Insufficient COIN funds');
  state.changeAccount(name, { balance: balance + delta, holdings: holdings + delta * turnsUntilInterest(state, id) });
  if (!state.rules.votesAreVestingShares) propagate(state, name, delta);
}

export function adjustSupply(state: State, delta: bigint): void {
  state.changeGlobals({ supply: state.globals.supply + delta });
}

/** New coins, vested at once: a producer's reward. What the account is owed has been paid. */
export function creditVesting(state: State, name: string, amount: bigint): void {
  const { id, vesting, holdings } = state.account(name);
  state.changeAccount(name, { vesting: vesting + amount, holdings: holdings + amount * turnsUntilInterest(state, id) });
  propagate(state, name, amount);
  adjustSupply(state, amount);
  changeTotalVesting(state, amount);
}

/** Coins of an account become its vesting shares, or the other way round when the amount is negative: a pure shift. */
export function shiftToVesting(state: State, name: string, amount: bigint): void {
  const { balance, vesting } = state.account(name);
  state.changeAccount(name, { balance: balance - amount, vesting: vesting + amount });
  changeTotalVesting(state, amount);
  if (state.rules.votesAreVestingShares) propagate(state, name, amount);
}
