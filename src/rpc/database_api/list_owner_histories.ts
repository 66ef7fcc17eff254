import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { ownerHistoryRecord } from '../../queries/records/owner_history.ts';
import { ownerAuthorityHistories, type OwnerAuthorityHistory } from '../../state/tables/owner_authority_history.ts';
import type { TuplePrefix } from '../../storage/table.ts';
import { accountName, type AccountName } from '../../values/account_name.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { time } from '../../values/time.ts';
import { along, byPairAndId, listParams, listRefusals, page } from './listing.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

type HistoryPrefix = TuplePrefix<readonly [AccountName, number, bigint]>;

/** A block may replace an authority twice, so the id belongs to the place of an entry. */
const ways = {
  by_account: byPairAndId<AccountName, number, HistoryPrefix, OwnerAuthorityHistory>(
    [accountName, time],
    '[account, time]',
    along(ownerAuthorityHistories.by_account),
    (pair, id) => (id === undefined ? pair : [...pair, id]),
  ),
};

/** The lineage's list has only one order, and takes none. */
const ORIGINAL_ORDER = 'by_account';

/** All owner authorities that were replaced in the last 30 days. */
export const listOwnerHistories = method({
  name: 'database_api.list_owner_histories',
  doc: 'All owner authorities that accounts had in the last 30 days, by account, time and id. Page by page, the element at `start` included: `[account, time]`, or `[account, time, id]` where several have the same time.',
  params: listParams(ways),
  result: Type.Object({ owner_auths: Type.Array(coded(ownerHistoryRecord)) }),
  example: { params: { start: ['', '1970-01-01T00:00:00'], limit: 10, order: 'by_account' } },
  stability: 'experimental',
  refuses: listRefusals,
  thread: 'read',
  handler: (list, call) => ({
    owner_auths: page(ways, speaksLineage(call.encoding) ? { ...list, order: ORIGINAL_ORDER } : list, call),
  }),
});
