import { Type } from '../../jsonrpc/typebox.ts';
import { accountRecord, accountRecordOf, accountRecords, type AccountRecord } from '../../queries/records/account.ts';
import { accounts as accountTable } from '../../state/tables/account.ts';
import { accountName } from '../../values/account_name.ts';
import { pendingFlag } from '../members.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';
import { inChunks, pendingInChunks } from '../chunks.ts';

/** Accounts by their names. */
export const findAccounts = method({
  name: 'database_api.find_accounts',
  doc: 'The accounts of these names, at most 1 000; where there is none, there is no record.',
  params: { accounts: Type.Array(coded(accountName), { maxItems: LARGEST_PAGE }), pending: pendingFlag },
  result: Type.Object({ accounts: Type.Array(coded(accountRecord)) }),
  example: { params: { accounts: ['alice', 'bob'] } },
  stability: 'experimental',
  weight: { item: 0.5 },
  thread: 'read',

  handler({ accounts: names }, call) {
    const { rows, parameters } = call;
    return { accounts: inChunks(call, names, (some) => accountRecords(rows, parameters, rows.getMany(accountTable, some))) };
  },

  async pending({ accounts: names }, call) {
    const { rows, parameters } = call;
    const found = await pendingInChunks(call, names);
    const recordOf = (name: string): AccountRecord | undefined => {
      const account = found.get(name);
      return account && accountRecordOf(rows, parameters, account);
    };
    return { accounts: inChunks(call, names, (some) => some.map(recordOf)) };
  },
});
