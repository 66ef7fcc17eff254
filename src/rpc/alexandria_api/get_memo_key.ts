import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { publicKey } from '../../values/public_key.ts';
import { accountMeant, accountRefusals, pendingAccountMeant } from './account_lookup.ts';
import { accountText, pendingFlag } from '../members.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The key that memos to an account are encrypted with. */
export const getMemoKey = method({
  name: 'alexandria_api.get_memo_key',
  doc: 'The key that memos to an account are encrypted with.',
  params: { account_name: accountText, pending: pendingFlag },
  result: Type.Object({ memo_key: coded(publicKey) }),
  example: { params: { account_name: 'alice' } },
  stability: 'stable',
  refuses: accountRefusals,
  thread: 'read',
  handler: ({ account_name }, call) => ({ memo_key: accountMeant(call, account_name).memo_key }),
  pending: async ({ account_name }, call) => ({
    memo_key: (await pendingAccountMeant(call, account_name)).account.memo_key,
  }),
});
