import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { changeRecoveryAccountRequestRecord } from '../../queries/records/change_recovery_account_request.ts';
import { changeRecoveryAccountRequests } from '../../state/tables/change_recovery_account_request.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { namedRows } from './named_rows.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Pending changes of the recovery accounts of these accounts. */
export const findChangeRecoveryAccountRequests = method({
  name: 'database_api.find_change_recovery_account_requests',
  doc: 'Changes of the recovery accounts of these accounts. At most 1 000; where there is none, there is no record.',
  params: { accounts: Type.Array(coded(accountName), { maxItems: LARGEST_PAGE }) },
  result: Type.Object({ requests: Type.Array(coded(changeRecoveryAccountRequestRecord)) }),
  example: { params: { accounts: ['alice'] } },
  stability: 'experimental',
  weight: { item: 0.1 },
  thread: 'read',
  handler: ({ accounts }, call) => ({ requests: namedRows(call, changeRecoveryAccountRequests, accounts) }),
});
