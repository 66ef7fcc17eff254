import { refusals } from '../base/refusal.ts';
import { requireAccount } from '../state/lookups.ts';
import { accounts } from '../state/tables/account.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  reset_accounts_equal: {
    text: 'the reset account of {account} would be {reset_account} before and after; name another',
    lineage: 'new reset account cannot be current reset account',
  },
  not_current_reset_account: {
    text: 'the reset account of {account} is {reset_account}, not {given}',
    lineage: 'Current reset account does not match reset account on account.',
  },
});

/** Sets the account that may replace the owner authority of this one. */
export const setResetAccount = operation({
  name: 'set_reset_account',
  doc: 'Chooses the account that may replace the owner authority of this one when it has been inactive.',
  fields: paidBody({
    fee: asset,
    account: accountName,
    current_reset_account: accountName,
    reset_account: accountName,
  }),
  refuses: refuse,
  feeAccount: (body) => body.account,
  // An account without a reset account needs no signature to set one. No account is in that state; the check in `apply`
  // ensures it.
  authorities: (body) => (body.current_reset_account === '' ? {} : { owner: [body.account] }),
  impacts: (body) => (body.current_reset_account === '' ? [] : [body.account]),

  validate({ account, current_reset_account, reset_account }) {
    if (current_reset_account === reset_account) refuse.reset_accounts_equal({ account, reset_account });
  },

  apply({ account: name, current_reset_account, reset_account }, state) {
    const account = requireAccount(state.rows, name);
    requireAccount(state.rows, reset_account);
    if (account.reset_account !== current_reset_account) {
      refuse.not_current_reset_account({
        account: name,
        reset_account: account.reset_account,
        given: current_reset_account,
      });
    }
    state.rows.put(accounts, { ...account, reset_account });
  },
});
