import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { i64 } from '../../codec/primitives.ts';
import { accountMeant, accountRefusals, pendingAccountMeant } from './account_lookup.ts';
import { accountText, pendingFlag } from '../members.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The vesting shares of an account. */
export const getVestingBalance = method({
  name: 'alexandria_api.get_vesting_balance',
  doc: 'The vesting shares of an account. In millionths.',
  params: { account_name: accountText, pending: pendingFlag },
  result: Type.Object({ vesting_balance: coded(i64) }),
  example: { params: { account_name: 'alice' } },
  stability: 'stable',
  refuses: accountRefusals,
  thread: 'read',
  handler: ({ account_name }, call) => ({ vesting_balance: accountMeant(call, account_name).vesting_shares }),
  pending: async ({ account_name }, call) => ({
    vesting_balance: (await pendingAccountMeant(call, account_name)).account.vesting_shares,
  }),
});
