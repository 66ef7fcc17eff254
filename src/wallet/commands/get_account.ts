import { command } from '../command.ts';
import { accountText } from '../params.ts';
import { showAccounts } from '../show/accounts.ts';

/** An account by its name or by its seed: one record, or two when both exist. */
export const getAccountCommand = command({
  name: 'get_account',
  doc: 'An account by its name or by its seed: one record, or two when both exist.',
  params: { account_name: accountText },
  example: 'get_account alice',
  show: showAccounts,
  handler: ({ account_name }, { node }) => node.ask('get_account', { account_name }, 'account'),
});
