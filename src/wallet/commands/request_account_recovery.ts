import { requestAccountRecovery } from '../../operations/request_account_recovery.ts';
import { authority } from '../../values/authority.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** As the recovery account, proposes a new owner authority for an account that was taken over. */
export const requestAccountRecoveryCommand = transactionCommand({
  name: 'request_account_recovery',
  doc: 'As the recovery account, proposes a new owner authority for an account that was taken over.',
  params: { recovery_account: chainName, account_to_recover: chainName, new_authority: authority },
  example:
    'request_account_recovery alice carol {"weight_threshold":1,"account_auths":[],"key_auths":[["PHR6…",1]]} true',
  makes: requestAccountRecovery,
  operation: ({ recovery_account, account_to_recover, new_authority: new_owner_authority }, { fee }) =>
    requestAccountRecovery.of({ fee, recovery_account, account_to_recover, new_owner_authority, extensions: [] }),
});
