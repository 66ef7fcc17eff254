import { changeRecoveryAccount } from '../../operations/change_recovery_account.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Names another recovery account, in force after 30 days. */
export const changeRecoveryAccountCommand = transactionCommand({
  name: 'change_recovery_account',
  doc: 'Names another recovery account, in force after 30 days.',
  params: { owner: chainName, new_recovery_account: chainName },
  example: 'change_recovery_account carol bob true',
  makes: changeRecoveryAccount,
  operation: ({ owner: account_to_recover, new_recovery_account }, { fee }) =>
    changeRecoveryAccount.of({ fee, account_to_recover, new_recovery_account, extensions: [] }),
});
