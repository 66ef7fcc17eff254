import { bodyOf, type Operation } from '../../operations/operation.ts';
import { fillVestingWithdraw } from '../../operations/virtual/fill_vesting_withdraw.ts';
import { withdrawVesting } from '../../operations/withdraw_vesting.ts';
import type { Cell } from './copy_text.ts';

/** The columns of a withdrawal of vesting shares, or of an instalment, behind its place and time; undefined for other operations. */
export function vestingCells(operation: Operation): readonly Cell[] | undefined {
  const wish = bodyOf(withdrawVesting, operation);
  if (wish !== undefined) return [wish.account, wish.vesting_shares.amount, false];
  const paid = bodyOf(fillVestingWithdraw, operation);
  return paid && [paid.from_account, paid.withdrawn.amount, true];
}
