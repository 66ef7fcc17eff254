import { Type } from '../../jsonrpc/typebox.ts';
import { accountRecord, accountRecordOf, accountRecords } from '../../queries/records/account.ts';
import { accounts as accountTable } from '../../state/tables/account.ts';
import { accountName } from '../../values/account_name.ts';
import { pendingFlag } from '../members.ts';
import { method } from '../method.ts';
import { namedRows } from './named_rows.ts';
import { pageRefusals, requirePage } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Accounts by their names. */
export const findAccounts = method({
  name: 'database_api.find_accounts',
  doc: 'The accounts of these names, at most 1 000; where there is none, there is no record.',
  params: { accounts: Type.Array(coded(accountName)), pending: pendingFlag },
  result: Type.Object({ accounts: Type.Array(coded(accountRecord)) }),
  example: { params: { accounts: ['alice', 'bob'] } },
  stability: 'experimental',
  refuses: pageRefusals,
  thread: 'read',

  handler({ accounts: names }, call) {
    const found = namedRows(call, accountTable, names, 'args.accounts.size()');
    return { accounts: accountRecords(call.rows, call.parameters, found) };
  },

  async pending({ accounts: names }, { rows, parameters, notation, pendingAccounts }) {
    requirePage(names.length, notation, 'args.accounts.size()');
    const found = await pendingAccounts(names);
    return { accounts: found.flatMap((account) => (account === undefined ? [] : accountRecordOf(rows, parameters, account))) };
  },
});
