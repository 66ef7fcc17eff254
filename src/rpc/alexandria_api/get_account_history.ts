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
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The history of an account. */
export const getAccountHistory = method({
  name: 'alexandria_api.get_account_history',
  doc:
    'Operations that concern an account, numbered from 0: those from start − limit to start, ascending. Start −1 is the newest. ' +
    filterDoc,
  params: {
    account: coded(accountName),
    start: coded(historyStart),
    limit: coded(historyPageLimit),
    filter: filterParam,
    cursor: cursorParam(u32, 'the number of the entry with which the page begins'),
  },
  result: Type.Object({ account_history: Type.Array(coded(numberedEntry)), cursor: cursorMember(u32) }),
  example: { params: { account: 'alice', start: -1, limit: 10 } },
  stability: 'stable',
  refuses: { ...historyPageRefusals, ...prunedRefusals },
  weight: filterWeight,
  thread: 'read',

  handler(search, call) {
    requireHistoryPage(search.limit);
    const { entries, cursor } = historyPage(call, { ...search, reverse_order: false });
    return { account_history: entries, cursor };
  },
});
