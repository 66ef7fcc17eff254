import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { accountRecoveryRequestRecord } from '../../queries/records/account_recovery_request.ts';
import { accountRecoveryRequests } from '../../state/tables/account_recovery_request.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { namedRows } from './named_rows.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Requests to recover these accounts. */
export const findAccountRecoveryRequests = method({
  name: 'database_api.find_account_recovery_requests',
  doc: 'Requests to recover these accounts. At most 1 000; where there is none, there is no record.',
  params: { accounts: Type.Array(coded(accountName), { maxItems: LARGEST_PAGE }) },
  result: Type.Object({ requests: Type.Array(coded(accountRecoveryRequestRecord)) }),
  example: { params: { accounts: ['alice'] } },
  stability: 'experimental',
  weight: { item: 0.1 },
  thread: 'read',
  handler: ({ accounts }, call) => ({ requests: namedRows(call, accountRecoveryRequests, accounts) }),
});
