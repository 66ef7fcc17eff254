import { recoverAccount } from '../../operations/recover_account.ts';
import { authority } from '../../values/authority.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Recovers an account with a recent and the requested owner authority; the wallet needs keys of both. */
export const recoverAccountCommand = transactionCommand({
  name: 'recover_account',
  doc: 'Recovers an account with a recent and the requested owner authority; the wallet needs keys of both.',
  params: { account_to_recover: chainName, recent_authority: authority, new_authority: authority },
  example:
    'recover_account carol {"weight_threshold":1,"account_auths":[],"key_auths":[["PHR5…",1]]} {"weight_threshold":1,"account_auths":[],"key_auths":[["PHR6…",1]]} true',
  makes: recoverAccount,
  operation: ({ account_to_recover, recent_authority, new_authority }, { fee }) =>
    recoverAccount.of({
      fee,
      account_to_recover,
      new_owner_authority: new_authority,
      recent_owner_authority: recent_authority,
      extensions: [],
    }),
});
