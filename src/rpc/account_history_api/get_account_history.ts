import { Type } from '../../jsonrpc/typebox.ts';
import { u32 } from '../../codec/primitives.ts';
import { accountName } from '../../values/account_name.ts';
import { historyFrom, historyStart, historyUpTo } from '../../queries/account_history.ts';
import { numberedEntry } from '../../queries/history_entry.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { historyInPages } from '../history_pages.ts';
import { method } from '../method.ts';
import { historyPageRefusals, requireHistoryPage } from '../../queries/paging.ts';
import { coded, withDefault } from '../../jsonrpc/params.ts';

/** The history of an account. */
export const getAccountHistory = method({
  name: 'account_history_api.get_account_history',
  doc: 'Operations that concern an account, numbered, ascending: those from start − limit to start, or with reverse_order `limit` from start on. Start −1 is the newest.',
  params: {
    account: coded(accountName),
    start: coded(historyStart, { default: -1 }),
    limit: coded(u32, { default: 1000 }),
    reverse_order: withDefault(Type.Boolean(), false),
  },
  result: Type.Object({ history: Type.Array(coded(numberedEntry)) }),
  example: { params: { account: 'alice', start: -1, limit: 1000, reverse_order: false } },
  stability: 'experimental',
  refuses: { ...historyPageRefusals, ...prunedRefusals },
  thread: 'read',

  handler({ account, start, limit, reverse_order }, call) {
    requireHistoryPage(limit);
    const { rows, parameters } = call;
    const of = { account, firstSequence: parameters.rules.first_history_sequence };
    const sequences = reverse_order ? historyFrom(rows, of, start, limit) : historyUpTo(rows, of, start, limit);
    return { history: historyInPages(call, account, sequences) };
  },
});
