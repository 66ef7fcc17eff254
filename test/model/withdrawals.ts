import { byTimeThenName } from './due.ts';
import { emitVirtual } from './history.ts';
import { shiftToVesting } from './money.ts';
import { payOwedBeforeChange } from './protection.ts';
import type { Account } from './records.ts';
import type { State } from './state.ts';
import { COIN, NEVER, smaller, VESTS } from './values.ts';

/**
 * chain_rules.md#withdrawals: a walk along (time, name) whose next step is looked up before the account changes. So an
 * account that is still due after its instalment is met again only when it comes to stand behind that next step.
 */
export function payWithdrawals(state: State): void {
  let current = following(state, undefined);
  for (let paid = 0; current !== undefined && paid < state.rules.duePerBlock; paid++) {
    if (state.account(current).nextWithdrawal > state.headTime) return;
    const next = following(state, current);
    payInstalment(state, current);
    current = next;
  }
}

/** The account behind another one in the order of (time, name), or the first. */
function following(state: State, name: string | undefined): string | undefined {
  const order = byTimeThenName<Account>(
    ({ nextWithdrawal }) => nextWithdrawal,
    (account) => account.name,
  );
  const all = [...state.accounts.values()].sort(order);
  return name === undefined ? all[0]?.name : all.find((account) => order(account, state.account(name)) > 0)?.name;
}

/** Returns the next instalment, even if there are not that many shares. */
const withdrawalAmount = ({ toWithdraw, withdrawn, withdrawRate }: Account): bigint =>
  toWithdraw - withdrawn < withdrawRate ? toWithdraw % withdrawRate : withdrawRate;

function payInstalment(state: State, name: string): void {
  const wanted = withdrawalAmount(state.account(name));
  if (smaller(state.account(name).vesting, wanted) !== 0n) payOwedBeforeChange(state, name);
  const amount = smaller(state.account(name).vesting, wanted);
  shiftToVesting(state, name, -amount);
  const { vesting, withdrawn, toWithdraw, nextWithdrawal } = state.account(name);
  const isOver = withdrawn + amount >= toWithdraw || vesting === 0n;
  state.changeAccount(name, {
    withdrawn: withdrawn + amount,
    ...(isOver
      ? { withdrawRate: 0n, nextWithdrawal: NEVER }
      : { nextWithdrawal: nextWithdrawal + state.parameters.withdrawIntervalSeconds }),
  });
  emitVirtual(state, 'fill_vesting_withdraw', {
    from_account: name,
    to_account: name,
    withdrawn: { amount, symbol: VESTS },
    deposited: { amount, symbol: COIN },
  });
}
