import { u16 } from '../../codec/primitives.ts';
import { accountUpdate } from '../../operations/account_update.ts';
import { compareNames } from '../../values/account_name.ts';
import { makeChange, changeRefusals, withEntry } from '../change_authority.ts';
import { transactionCommand } from '../command.ts';
import { chainName, wordChoice } from '../params.ts';

/** Gives another account a weight in an authority of an account; 0 removes it. */
export const updateAccountAuthAccountCommand = transactionCommand({
  name: 'update_account_auth_account',
  doc: 'Gives another account a weight in an authority of an account; 0 removes it. Shows the whole authority and asks before it signs.',
  params: { account_name: chainName, type: wordChoice('owner', 'active'), auth_account: chainName, weight: u16 },
  example: 'update_account_auth_account carol active alice 1 true',
  refuses: changeRefusals,
  makes: accountUpdate,
  operation: async ({ account_name, type, auth_account, weight }, making) =>
    await makeChange(making, account_name, type, (before) => ({
      ...before,
      account_auths: withEntry(before.account_auths, auth_account, weight, compareNames),
    })),
});
