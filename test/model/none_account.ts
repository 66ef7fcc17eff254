import { adjustBalance, adjustSupply } from './money.ts';
import { changeTotalVesting, payOwedBeforeChange } from './protection.ts';
import type { State } from './state.ts';
import { turnsUntilInterest } from './turns.ts';
import { propagate } from './votes.ts';

/** chain_rules.md#the-account-none: what `none` holds is destroyed. */
export function clearNone(state: State): void {
  const burned = clearBalance(state) + clearVesting(state);
  if (burned === 0n) return;
  adjustSupply(state, -burned);
  if (state.rules.noneBurns) state.changeEconomy({ burnPool: state.economy.burnPool + burned });
}

function clearBalance(state: State): bigint {
  const { balance } = state.account('none');
  if (balance <= 0n) return 0n;
  adjustBalance(state, 'none', -balance);
  return balance;
}

function clearVesting(state: State): bigint {
  if (state.account('none').vesting <= 0n) return 0n;
  payOwedBeforeChange(state, 'none');
  const { id, vesting, holdings } = state.account('none');
  state.changeAccount('none', {
    vesting: 0n,
    buckets: new Map(),
    ...(state.rules.noneBurns ? { holdings: holdings - vesting * turnsUntilInterest(state, id) } : {}),
  });
  changeTotalVesting(state, -vesting);
  if (state.rules.noneBurns) propagate(state, 'none', -vesting);
  return vesting;
}
