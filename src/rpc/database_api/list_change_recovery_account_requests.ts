import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { changeRecoveryAccountRequestRecord } from '../../queries/records/change_recovery_account_request.ts';
import { changeRecoveryAccountRequests } from '../../state/tables/change_recovery_account_request.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';
import { along, byNames, byPair, bySingle, listParams, listRefusals, page } from './listing.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The orders of the list. */
const ways = {
  by_account: bySingle(accountName, byNames(changeRecoveryAccountRequests), (name) => name),
  by_effective_date: byPair(
    [time, accountName],
    '[time, account]',
    along(changeRecoveryAccountRequests.by_effective_date),
    (pair) => pair,
  ),
};

/** All pending changes of recovery accounts. */
export const listChangeRecoveryAccountRequests = method({
  name: 'database_api.list_change_recovery_account_requests',
  doc: 'All changes of recovery accounts that wait for their day. Page by page, the element at `start` included.',
  params: listParams(ways),
  result: Type.Object({ requests: Type.Array(coded(changeRecoveryAccountRequestRecord)) }),
  example: { params: { start: '', limit: 10, order: 'by_account' } },
  stability: 'experimental',
  refuses: listRefusals,
  thread: 'read',
  handler: (list, call) => ({ requests: page(ways, list, call) }),
});
