import { text } from '../../codec/primitives.ts';
import { accountUpdate } from '../../operations/account_update.ts';
import { keyAuthority } from '../../values/authority.ts';
import { publicKey } from '../../values/public_key.ts';
import { accountRefusals, requireAccount } from '../accounts.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Replaces all keys and the metadata of an account. */
export const updateAccountCommand = transactionCommand({
  name: 'update_account',
  doc: 'Replaces all keys and the metadata of an account.',
  params: { account_name: chainName, json_meta: text, owner: publicKey, active: publicKey, memo: publicKey },
  example: 'update_account carol "{}" PHR6… PHR7… PHR8… true',
  refuses: accountRefusals,
  makes: accountUpdate,
  operation: async ({ account_name, json_meta, owner, active, memo }, { wallet, fee }) => {
    const { name: account } = await requireAccount(wallet, account_name);
    const authorities = { owner: keyAuthority(owner), active: keyAuthority(active) };
    return accountUpdate.of({ fee, account, ...authorities, memo_key: memo, json_metadata: json_meta });
  },
});
