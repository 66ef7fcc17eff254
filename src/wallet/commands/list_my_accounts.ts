import { publicKeyText } from '../../values/public_key.ts';
import { command } from '../command.ts';
import { showAccounts } from '../show/accounts.ts';
import { wordsOf } from '../wallet.ts';

/** The accounts that a key of this wallet may act for, by name, with their balances. */
export const listMyAccountsCommand = command({
  name: 'list_my_accounts',
  doc: 'The accounts that a key of this wallet may act for, by name, with their balances.',
  params: {},
  example: 'list_my_accounts',
  needs: 'keys',
  show: showAccounts,
  handler: async (_, wallet) => {
    const { keyPrefix } = await wordsOf(wallet);
    const keys = wallet.keys.keys().map(([key]) => publicKeyText(key, keyPrefix));
    if (keys.length === 0) return [];
    const lists = await wallet.node.ask('get_key_references', { keys }, 'accounts');
    const names = (Array.isArray(lists) ? lists.flat() : []).filter((name) => typeof name === 'string');
    return await wallet.node.ask('get_accounts', { account_names: [...new Set(names)].sort() }, 'accounts');
  },
});
