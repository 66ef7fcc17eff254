import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { i64 } from '../../codec/primitives.ts';
import { accountMeant, accountRefusals, pendingAccountMeant } from './account_lookup.ts';
import { accountText, pendingFlag } from '../members.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The liquid coins of an account. */
export const getAccountBalance = method({
  name: 'alexandria_api.get_account_balance',
  doc: 'The coins that an account holds liquid. In millionths.',
  params: { account_name: accountText, pending: pendingFlag },
  result: Type.Object({ account_balance: coded(i64) }),
  example: { params: { account_name: 'alice' } },
  stability: 'stable',
  refuses: accountRefusals,
  thread: 'read',
  handler: ({ account_name }, call) => ({ account_balance: accountMeant(call, account_name).balance }),
  pending: async ({ account_name }, call) => ({
    account_balance: (await pendingAccountMeant(call, account_name)).account.balance,
  }),
});
