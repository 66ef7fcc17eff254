import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { i64, u64 } from '../../codec/primitives.ts';
import { accountRecord, accountRecords } from '../../queries/records/account.ts';
import { accounts } from '../../state/tables/account.ts';
import { accountName } from '../../values/account_name.ts';
import { NEVER } from '../../values/limits.ts';
import { time, timeText } from '../../values/time.ts';
import {
  optionalPair,
  along,
  byNames,
  byPair,
  bySingle,
  descendingOnly,
  forwardOnly,
  listParams,
  listRefusals,
  page,
} from './listing.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The orders of the list. */
const ways = {
  by_name: bySingle(accountName, byNames(accounts), (name) => name),
  by_id: forwardOnly(bySingle(u64, along(accounts.by_id), (id): [bigint] => [id])),
  by_proxy: byPair([accountName, accountName], '[proxy, account]', along(accounts.by_proxy), (pair) => pair),
  by_next_vesting_withdrawal: byPair(
    [time, accountName],
    '[time, account]',
    along(accounts.by_next_vesting_withdrawal),
    (pair) => pair,
  ),
  by_balance: descendingOnly(bySingle(optionalPair(i64, accountName), along(accounts.by_balance), (start) => start)),
};

/** All accounts. */
export const listAccounts = method({
  name: 'database_api.list_accounts',
  doc: `All accounts. Page by page, the element at \`start\` included. In \`by_balance\` the richest come first: \`start\` is what they have in coins and vesting shares, in millionths, or \`[balance, name]\` among those who have as much. In \`by_next_vesting_withdrawal\` accounts that withdraw nothing come last, at \`${timeText(NEVER)}\`.`,
  params: listParams(ways),
  result: Type.Object({ accounts: Type.Array(coded(accountRecord)) }),
  example: { params: { start: '', limit: 10, order: 'by_name' } },
  stability: 'experimental',
  refuses: listRefusals,
  weight: { call: 10 },
  thread: 'read',
  handler: (list, call) => ({
    accounts: page(ways, list, call).map((some) => accountRecords(call, some)),
  }),
});
