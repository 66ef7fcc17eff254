import type { Page } from '../jsonrpc/http/http_server.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import type { CommittedRows } from '../storage/rows.ts';
import { jsonPage } from '../jsonrpc/http/json_page.ts';
import { ID_DIGITS } from '../values/hash.ts';

/** Ids that one answer names. */
const MOST_FOUND = 6;

/**
 * Transactions of the chain by the first digits of their ids, for the search of the explorer. The ids are the keys of a
 * table, so an answer is one seek.
 */
export function shortIdPage(rows: CommittedRows): (digits: string) => Page {
  return (digits) => {
    const found = rows.rows(transactionLocations, {
      from: digits.padEnd(ID_DIGITS, '0'),
      to: digits.padEnd(ID_DIGITS, 'f'),
      limit: MOST_FOUND,
    });
    return jsonPage(JSON.stringify({ ids: found.map(({ id }) => id) }));
  };
}
