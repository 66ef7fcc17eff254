import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { ownerHistoryRecord } from '../../queries/records/owner_history.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { readOwnerHistory } from '../owner_history.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Former owner authorities of an account. */
export const findOwnerHistories = method({
  name: 'database_api.find_owner_histories',
  doc: 'The owner authorities that an account had in the last 30 days, oldest first, at most 1 000; list_owner_histories has the others.',
  params: { owner: coded(accountName) },
  result: Type.Object({ owner_auths: Type.Array(coded(ownerHistoryRecord)) }),
  example: { params: { owner: 'alice' } },
  stability: 'experimental',
  thread: 'read',
  handler: ({ owner }, call) => ({ owner_auths: readOwnerHistory(call, owner) }),
});
