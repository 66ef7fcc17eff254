import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { u32 } from '../../codec/primitives.ts';
import { accountName } from '../../values/account_name.ts';
import { historyStart } from '../../queries/account_history.ts';
import { numberedEntry } from '../../queries/history_entry.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { cursorMember, cursorParam } from '../cursor.ts';
import { filterDoc, filterParam, filterWeight, historyPage } from '../history_pages.ts';
import { method } from '../method.ts';
import { historyPageLimit, historyPageRefusals, requireHistoryPage } from '../../queries/paging.ts';
import { coded, withDefault } from '../../jsonrpc/envelope/params.ts';

/** The history of an account. */
export const getAccountHistory = method({
  name: 'account_history_api.get_account_history',
  doc:
    'Operations that concern an account, numbered, ascending: those from start − limit to start, or with reverse_order `limit` from start on. Start −1 is the newest, from which every page goes down. ' +
    filterDoc,
  params: {
    account: coded(accountName),
    start: coded(historyStart, { default: -1 }),
    limit: coded(historyPageLimit, { default: 1000 }),
    reverse_order: withDefault(Type.Boolean(), false),
    filter: filterParam,
    cursor: cursorParam(u32, 'the number of the entry with which the page begins'),
  },
  result: Type.Object({ history: Type.Array(coded(numberedEntry)), cursor: cursorMember(u32) }),
  example: { params: { account: 'alice', start: -1, limit: 1000, reverse_order: false } },
  stability: 'experimental',
  refuses: { ...historyPageRefusals, ...prunedRefusals },
  weight: filterWeight,
  thread: 'read',

  handler(search, call) {
    requireHistoryPage(search.limit);
    const { entries, cursor } = historyPage(call, search);
    return { history: entries, cursor };
  },
});
