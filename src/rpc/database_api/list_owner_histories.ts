import { Type } from '../../jsonrpc/typebox.ts';
import { ownerHistoryRecord } from '../../queries/records/owner_history.ts';
import { ownerAuthorityHistories } from '../../state/tables/owner_authority_history.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';
import { along, byPair, listParams, page } from './listing.ts';
import { method } from '../method.ts';
import { pageRefusals } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';

const ways = {
  by_account: byPair([accountName, time], '[account, time]', along(ownerAuthorityHistories.by_account), (pair) => pair),
};

/** All owner authorities that were replaced in the last 30 days. */
export const listOwnerHistories = method({
  name: 'database_api.list_owner_histories',
  doc: 'All owner authorities that accounts had in the last 30 days, by account. Page by page, the element at `start` included.',
  params: { start: listParams.start, limit: listParams.limit },
  result: Type.Object({ owner_auths: Type.Array(coded(ownerHistoryRecord)) }),
  example: { params: { start: ['', '1970-01-01T00:00:00'], limit: 10 } },
  stability: 'experimental',
  refuses: pageRefusals,
  thread: 'read',
  handler: (list, call) => ({ owner_auths: page(ways, { ...list, order: 'by_account' }, call) }),
});
