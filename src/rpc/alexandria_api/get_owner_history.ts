import { Type } from '../../jsonrpc/typebox.ts';
import { ownerHistoryRecord } from '../../queries/records/owner_history.ts';
import { ownerAuthorityHistories } from '../../state/tables/owner_authority_history.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';

/** The owner authorities that an account had in the last 30 days. */
export const getOwnerHistory = method({
  name: 'alexandria_api.get_owner_history',
  doc: 'The owner authorities that an account had in the last 30 days, oldest first.',
  params: { account: coded(accountName) },
  result: Type.Object({ owner_history: Type.Array(coded(ownerHistoryRecord)) }),
  example: { params: { account: 'alice' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ account }, { rows }) => ({
    owner_history: rows.range(ownerAuthorityHistories.by_account, { from: [account], to: [account], limit: LARGEST_PAGE }),
  }),
});
