import { require } from './refusal.ts';
import type { State } from './state.ts';

/** chain_rules.md#sums-that-always-hold, with what dilution protection has issued. */
export function checkInvariants(state: State): void {
  const { supply, totalVesting } = state.globals;
  const { economy } = state;
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
  const accounts = [...state.accounts.values()];
  const vesting = sum(accounts.map((account) => account.vesting));
  const balances = sum(accounts.map(({ balance }) => balance));
  const escrowed = sum([...state.escrows.values()].map(({ balance, pendingFee }) => balance + pendingFee));
  for (const { votes } of state.witnesses.values()) require(votes <= supply, 'votes above the supply');
  require(supply === balances + vesting + escrowed, 'supply');
  require(totalVesting === vesting, 'total vesting shares');
  const { interestFromCoinbase, interestFromFees, miningFromCoinbase, miningFromFees, promotionPool, burnPool } =
    economy;
  const pools = sum([
    interestFromCoinbase,
    interestFromFees,
    miningFromCoinbase,
    miningFromFees,
    promotionPool,
    burnPool,
  ]);
  // What rounding leaves at genesis belongs to no pool in the lineage.
  if (state.rules.promotionPoolIsTheRest)
    require(supply + pools === economy.totalSupply + economy.issued, 'total supply');
}
