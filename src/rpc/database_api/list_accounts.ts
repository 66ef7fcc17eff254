import { Type } from '../../jsonrpc/typebox.ts';
import { i64, u64 } from '../../codec/primitives.ts';
import { accountRecord, accountRecords } from '../../queries/records/account.ts';
import { accounts } from '../../state/tables/account.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';
import { byPair, bySingle, descendingOnly, forwardOnly, listParams, listRefusals, page } from './listing.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';
import { inChunks } from '../chunks.ts';

/** The orders of the list. */
const ways = {
  by_name: bySingle(accountName, (rows, stretch, name) => rows.rows(accounts, stretch(name))),
  by_id: forwardOnly(bySingle(u64, (rows, stretch, id) => rows.range(accounts.by_id, stretch([id])))),
  by_proxy: byPair([accountName, accountName], '[proxy, account]', (rows, stretch, proxy, name) =>
    rows.range(accounts.by_proxy, stretch([proxy, name])),
  ),
  by_next_vesting_withdrawal: byPair([time, accountName], '[time, account]', (rows, stretch, at, name) =>
    rows.range(accounts.by_next_vesting_withdrawal, stretch([at, name])),
  ),
  by_balance: descendingOnly(bySingle(i64, (rows, stretch, balance) => rows.range(accounts.by_balance, stretch([balance])))),
};

/** All accounts. */
export const listAccounts = method({
  name: 'database_api.list_accounts',
  doc: 'All accounts. Page by page, the element at `start` included.',
  params: listParams,
  result: Type.Object({ accounts: Type.Array(coded(accountRecord)) }),
  example: { params: { start: '', limit: 10, order: 'by_name' } },
  stability: 'experimental',
  refuses: listRefusals,
  weight: { call: 10 },
  thread: 'read',
  handler: (list, call) => ({
    accounts: inChunks(call, page(ways, list, call), (some) => accountRecords(call.rows, call.parameters, some)),
  }),
});
