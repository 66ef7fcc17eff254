import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { ownerHistoryRecord } from '../../queries/records/owner_history.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { readOwnerHistory } from '../owner_history.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The owner authorities that an account had in the last 30 days. */
export const getOwnerHistory = method({
  name: 'alexandria_api.get_owner_history',
  doc: 'The owner authorities that an account had in the last 30 days, oldest first, at most 1 000; database_api.list_owner_histories has the others.',
  params: { account: coded(accountName) },
  result: Type.Object({ owner_history: Type.Array(coded(ownerHistoryRecord)) }),
  example: { params: { account: 'alice' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ account }, call) => ({ owner_history: readOwnerHistory(call, account) }),
});
