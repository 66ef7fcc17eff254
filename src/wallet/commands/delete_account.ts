import { accountDelete } from '../../operations/account_delete.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Deletes an account, for ever. */
export const deleteAccountCommand = transactionCommand({
  name: 'delete_account',
  doc: 'Deletes an account, for ever.',
  params: { account_name: chainName },
  example: 'delete_account carol true',
  makes: accountDelete,
  operation: ({ account_name: account }, { fee }) => accountDelete.of({ fee, account }),
});
