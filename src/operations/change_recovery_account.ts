import { dueTime, dueTimeRefusals } from '../state/due_times.ts';
import { requireAccount } from '../state/lookups.ts';
import { CHANGE_RECOVERY_DELAY_SECONDS } from '../state/parameters.ts';
import { accountToRecover } from '../state/recovery.ts';
import { changeRecoveryAccountRequests } from '../state/tables/change_recovery_account_request.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { extensions } from '../values/extensions.ts';
import { operation, paidBody } from './operation.ts';

/** Names another recovery account; the change takes effect after 30 days. */
export const changeRecoveryAccount = operation({
  name: 'change_recovery_account',
  doc: 'Names another recovery account, which takes office after 30 days. Naming the present one withdraws a change that waits.',
  fields: paidBody({ fee: asset, account_to_recover: accountName, new_recovery_account: accountName, extensions }),
  refuses: { texts: dueTimeRefusals },
  feeAccount: (body) => body.account_to_recover,
  authorities: (body) => ({ owner: [body.account_to_recover] }),
  impacts: (body) => [body.account_to_recover],

  apply({ account_to_recover, new_recovery_account }, state) {
    requireAccount(state.rows, new_recovery_account);
    const account = accountToRecover(state, account_to_recover);
    const waiting = state.rows.get(changeRecoveryAccountRequests, account_to_recover);
    if (waiting !== undefined && account.recovery_account === new_recovery_account) {
      state.rows.remove(changeRecoveryAccountRequests, account_to_recover);
      return;
    }
    state.rows.put(changeRecoveryAccountRequests, {
      id: waiting?.id ?? state.rows.nextId(changeRecoveryAccountRequests),
      account_to_recover,
      recovery_account: new_recovery_account,
      effective_on: dueTime(state, 'the change of the recovery account', CHANGE_RECOVERY_DELAY_SECONDS),
    });
  },
});
