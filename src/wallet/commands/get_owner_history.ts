import { nameMeant } from '../accounts.ts';
import { command } from '../command.ts';
import { accountText } from '../params.ts';

/** The owner authorities that an account had during the last 30 days. */
export const getOwnerHistoryCommand = command({
  name: 'get_owner_history',
  doc: 'The owner authorities that an account had during the last 30 days.',
  params: { account: accountText },
  example: 'get_owner_history alice',
  handler: async ({ account }, wallet) =>
    await wallet.node.ask('get_owner_history', { account: await nameMeant(wallet, account) }, 'owner_history'),
});
