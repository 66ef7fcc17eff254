import { fillVestingWithdraw } from '../../operations/virtual/fill_vesting_withdraw.ts';
import { payOwedShares } from '../../operations/virtual/interest.ts';
import { headProperties, type ChainState } from '../../state/chain_state.ts';
import { consequenceLimits } from '../../state/consequences.ts';
import { requireAccount } from '../../state/lookups.ts';
import { coins, vests } from '../../state/parameters.ts';
import { accounts, type Account } from '../../state/tables/account.ts';
import { unvest } from '../../state/vesting.ts';
import type { AccountName } from '../../values/account_name.ts';
import { NEVER } from '../../values/limits.ts';

/** Pays the instalments that are due, up to the number that a block may process (chain_rules.md#withdrawals). */
export function payVestingWithdrawals(state: ChainState): void {
  const { time } = headProperties(state);
  let left = state.parameters.rules.due_per_block;
  const mostMoved = state.consequences.moved + maxMovesPerWithdrawal(state);
  let due = state.rows.first(accounts.by_next_vesting_withdrawal);
  while (
    due !== undefined &&
    due.next_vesting_withdrawal <= time &&
    left-- > 0 &&
    state.consequences.moved < mostMoved
  ) {
    // The walk continues from here even when the account stays due: it is then paid again in the next block.
    const successor: Account | undefined = state.rows.next(accounts.by_next_vesting_withdrawal, [
      due.next_vesting_withdrawal,
      due.name,
    ]);
    payInstalment(state, due.name);
    due = successor === undefined ? undefined : state.rows.get(accounts, successor.name);
  }
}

/** The number of witnesses whose votes the instalments may change before the rest is left to the next blocks. */
function maxMovesPerWithdrawal({ parameters }: ChainState): number {
  return parameters.rules.bounded_consequences ? consequenceLimits(parameters).witnesses : Infinity;
}

function payInstalment(state: ChainState, name: AccountName): void {
  if (nextInstalment(requireAccount(state.rows, name)) !== 0n) payOwedShares(state, name);
  const amount = nextInstalment(requireAccount(state.rows, name));
  unvest(state, name, amount);
  const account = requireAccount(state.rows, name);
  const withdrawn = account.withdrawn + amount;
  state.rows.put(accounts, { ...account, withdrawn, ...next(state, { ...account, withdrawn }) });
  const event = {
    from_account: name,
    to_account: name,
    withdrawn: vests(state.parameters, amount),
    deposited: coins(state.parameters, amount),
  };
  state.emit(fillVestingWithdraw.of(event));
}

function nextInstalment({ to_withdraw, withdrawn, vesting_withdraw_rate, vesting_shares }: Account): bigint {
  const isLast = to_withdraw - withdrawn < vesting_withdraw_rate;
  const wanted = isLast ? to_withdraw % vesting_withdraw_rate : vesting_withdraw_rate;
  return wanted < vesting_shares ? wanted : vesting_shares;
}

/** The next instalment is due counting from when this one was due, not from the block. */
function next(state: ChainState, account: Account): Pick<Account, 'vesting_withdraw_rate' | 'next_vesting_withdrawal'> {
  if (account.withdrawn >= account.to_withdraw || account.vesting_shares === 0n)
    return { vesting_withdraw_rate: 0n, next_vesting_withdrawal: NEVER };
  const interval = state.parameters.withdrawIntervalSeconds;
  const next_vesting_withdrawal = Math.min(account.next_vesting_withdrawal + interval, NEVER);
  return { vesting_withdraw_rate: account.vesting_withdraw_rate, next_vesting_withdrawal };
}
