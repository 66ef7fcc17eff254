import { Type } from '../../jsonrpc/typebox.ts';
import { u32 } from '../../codec/primitives.ts';
import { accountName } from '../../values/account_name.ts';
import { historyStart, historyUpTo } from '../../queries/account_history.ts';
import { numberedEntry } from '../../queries/history_entry.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { historyInPages } from '../history_pages.ts';
import { method } from '../method.ts';
import { historyPageRefusals, requireHistoryPage } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';

/** The history of an account. */
export const getAccountHistory = method({
  name: 'alexandria_api.get_account_history',
  doc: 'Operations that concern an account, numbered from 0: those from start − limit to start, ascending. Start −1 is the newest.',
  params: { account: coded(accountName), start: coded(historyStart), limit: coded(u32) },
  result: Type.Object({ account_history: Type.Array(coded(numberedEntry)) }),
  example: { params: { account: 'alice', start: -1, limit: 10 } },
  stability: 'stable',
  refuses: { ...historyPageRefusals, ...prunedRefusals },
  thread: 'read',

  handler({ account, start, limit }, call) {
    requireHistoryPage(limit);
    const { rows, parameters } = call;
    const of = { account, firstSequence: parameters.rules.first_history_sequence };
    return { account_history: historyInPages(call, account, historyUpTo(rows, of, start, limit)) };
  },
});
