import { u16 } from '../../codec/primitives.ts';
import { accountUpdate } from '../../operations/account_update.ts';
import { compareKeys, publicKey } from '../../values/public_key.ts';
import { makeChange, changeRefusals, withEntry } from '../change_authority.ts';
import { transactionCommand } from '../command.ts';
import { chainName, wordChoice } from '../params.ts';

/** Gives a key a weight in an authority of an account; 0 removes it. */
export const updateAccountAuthKeyCommand = transactionCommand({
  name: 'update_account_auth_key',
  doc: 'Gives a key a weight in an authority of an account; 0 removes it. Shows the whole authority and asks before it signs.',
  params: { account_name: chainName, type: wordChoice('owner', 'active'), key: publicKey, weight: u16 },
  example: 'update_account_auth_key carol active PHR6… 1 true',
  refuses: changeRefusals,
  makes: accountUpdate,
  operation: async ({ account_name, type, key, weight }, making) =>
    await makeChange(making, account_name, type, (before) => ({
      ...before,
      key_auths: withEntry(before.key_auths, key, weight, compareKeys),
    })),
});
