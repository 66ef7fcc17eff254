import { text } from '../../codec/primitives.ts';
import { accountUpdate } from '../../operations/account_update.ts';
import { accountRefusals, requireAccount } from '../accounts.ts';
import { unchanged } from '../change_authority.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Replaces the metadata of an account. */
export const updateAccountMetaCommand = transactionCommand({
  name: 'update_account_meta',
  doc: 'Replaces the metadata of an account.',
  params: { account_name: chainName, json_meta: text },
  example: 'update_account_meta carol \'{"name":"Carol"}\' true',
  refuses: accountRefusals,
  makes: accountUpdate,
  operation: async ({ account_name, json_meta }, { wallet, fee }) => {
    const { name } = await requireAccount(wallet, account_name);
    return accountUpdate.of({ ...unchanged(name, fee), json_metadata: json_meta });
  },
});
