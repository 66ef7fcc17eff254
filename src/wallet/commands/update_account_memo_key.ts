import { accountUpdate } from '../../operations/account_update.ts';
import { publicKey } from '../../values/public_key.ts';
import { accountRefusals, requireAccount } from '../accounts.ts';
import { unchanged } from '../change_authority.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Replaces the memo key of an account. */
export const updateAccountMemoKeyCommand = transactionCommand({
  name: 'update_account_memo_key',
  doc: 'Replaces the memo key of an account.',
  params: { account_name: chainName, key: publicKey },
  example: 'update_account_memo_key carol PHR6… true',
  refuses: accountRefusals,
  makes: accountUpdate,
  operation: async ({ account_name, key }, { wallet, fee }) => {
    const { name } = await requireAccount(wallet, account_name);
    return accountUpdate.of({ ...unchanged(name, fee), memo_key: key });
  },
});
