import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { authority } from '../../values/authority.ts';
import { accountRefusals, authoritiesMeant, pendingAccountMeant } from './account_lookup.ts';
import { accountText, pendingFlag } from '../members.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The active authority of an account, for everyday operations. */
export const getActiveAuthority = method({
  name: 'alexandria_api.get_active_authority',
  doc: 'Who may act for an account in its daily business.',
  params: { account_name: accountText, pending: pendingFlag },
  result: Type.Object({ active_authority: coded(authority) }),
  example: { params: { account_name: 'alice' } },
  stability: 'stable',
  refuses: accountRefusals,
  thread: 'read',
  handler: ({ account_name }, call) => ({ active_authority: authoritiesMeant(call, account_name).active }),
  pending: async ({ account_name }, call) => ({
    active_authority: (await pendingAccountMeant(call, account_name)).authorities.active,
  }),
});
