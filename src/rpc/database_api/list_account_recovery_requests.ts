import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { accountRecoveryRequestRecord } from '../../queries/records/account_recovery_request.ts';
import { accountRecoveryRequests } from '../../state/tables/account_recovery_request.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';
import { along, byNames, byPair, bySingle, listParams, listRefusals, page } from './listing.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The orders of the list. */
const ways = {
  by_account: bySingle(accountName, byNames(accountRecoveryRequests), (name) => name),
  by_expiration: byPair(
    [time, accountName],
    '[time, account]',
    along(accountRecoveryRequests.by_expiration),
    (pair) => pair,
  ),
};

/** All requests to recover an account. */
export const listAccountRecoveryRequests = method({
  name: 'database_api.list_account_recovery_requests',
  doc: 'All requests to recover an account. Page by page, the element at `start` included.',
  params: listParams(ways),
  result: Type.Object({ requests: Type.Array(coded(accountRecoveryRequestRecord)) }),
  example: { params: { start: '', limit: 10, order: 'by_account' } },
  stability: 'experimental',
  refuses: listRefusals,
  thread: 'read',
  handler: (list, call) => ({ requests: page(ways, list, call) }),
});
