import { Type } from '../../jsonrpc/envelope/typebox.ts';
import {
  accountRecord,
  accountRecords,
  makePendingAccountRecord,
  type AccountRecord,
} from '../../queries/records/account.ts';
import { accounts as accountTable } from '../../state/tables/account.ts';
import { accountName } from '../../values/account_name.ts';
import { pendingRecordFlag } from '../members.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { inChunks, pendingInChunks } from '../chunks.ts';

/** Accounts by their names. */
export const findAccounts = method({
  name: 'database_api.find_accounts',
  doc: 'The accounts of these names, at most 1 000; where there is none, there is no record.',
  params: { accounts: Type.Array(coded(accountName), { maxItems: LARGEST_PAGE }), pending: pendingRecordFlag },
  result: Type.Object({ accounts: Type.Array(coded(accountRecord)) }),
  example: { params: { accounts: ['alice', 'bob'] } },
  stability: 'experimental',
  weight: { item: 0.5 },
  thread: 'read',

  handler({ accounts: names }, call) {
    return { accounts: inChunks(call, names, (some) => accountRecords(call, call.rows.getMany(accountTable, some))) };
  },

  async pending({ accounts: names }, call) {
    const found = await pendingInChunks(call, names);
    const findRecord = (name: string): AccountRecord | undefined => {
      const account = found.get(name);
      return account && makePendingAccountRecord(call, account);
    };
    return { accounts: inChunks(call, names, (some) => some.map(findRecord)) };
  },
});
