import Type from 'typebox';
import { accountRecord, accountRecordOf, accountRecords } from '../../state/records/account.ts';
import { accountRefusals, accountsMeant, namesMeant, refuseUnknownAccount } from '../account_lookup.ts';
import { method } from '../method.ts';
import { accountText, pendingFlag } from '../members.ts';
import { coded } from '../params.ts';

/** The account of a name, and the one whose name was made from that text as a seed. */
export const getAccount = method({
  name: 'alexandria_api.get_account',
  doc: 'The account of that name, and the account whose name was made from that text as a seed: one or two records.',
  params: { account_name: accountText, pending: pendingFlag },
  result: Type.Object({ account: Type.Array(coded(accountRecord)) }),
  example: { params: { account_name: 'alice' } },
  stability: 'stable',
  refuses: { unknown_account: accountRefusals.unknown_account },
  thread: 'read',
  handler: ({ account_name }, { rows, parameters }) => ({ account: accountRecords(rows, parameters, accountsMeant(rows, account_name)) }),

  async pending({ account_name }, { rows, parameters, pendingAccounts }) {
    const found = (await pendingAccounts(namesMeant(account_name))).filter((account) => account !== undefined);
    if (found.length === 0) refuseUnknownAccount();
    return { account: found.map((account) => accountRecordOf(rows, parameters, account)) };
  },
});
