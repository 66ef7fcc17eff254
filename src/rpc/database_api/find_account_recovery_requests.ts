import { Type } from '../../jsonrpc/typebox.ts';
import { accountRecoveryRequestRecord } from '../../queries/records/account_recovery_request.ts';
import { accountRecoveryRequests } from '../../state/tables/account_recovery_request.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { namedRows } from './named_rows.ts';
import { pageRefusals } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Requests to recover these accounts. */
export const findAccountRecoveryRequests = method({
  name: 'database_api.find_account_recovery_requests',
  doc: 'Requests to recover these accounts. At most 1 000; where there is none, there is no record.',
  params: { accounts: Type.Array(coded(accountName)) },
  result: Type.Object({ requests: Type.Array(coded(accountRecoveryRequestRecord)) }),
  example: { params: { accounts: ['alice'] } },
  stability: 'experimental',
  refuses: pageRefusals,
  thread: 'read',
  handler: ({ accounts }, call) => ({ requests: namedRows(call, accountRecoveryRequests, accounts, 'args.accounts.size()') }),
});
