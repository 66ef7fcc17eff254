import { historyEntries, type Sequences } from '../queries/account_history.ts';
import type { NumberedEntry } from '../queries/history_entry.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Call } from './services.ts';
import { inPages, type Chunks } from './chunks.ts';

/** A part of the history of an account, ascending. */
export function historyInPages(call: Pick<Call, 'rows'>, account: AccountName, { first, last }: Sequences): Chunks<NumberedEntry> {
  return inPages<NumberedEntry>(call, Math.max(0, last - first + 1), (before, limit) => {
    const from = before === undefined ? first : before[0] + 1;
    return historyEntries(call.rows, account, { first: from, last: Math.min(from + limit - 1, last) });
  });
}
