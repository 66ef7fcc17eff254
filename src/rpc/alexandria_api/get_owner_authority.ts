import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { authority } from '../../values/authority.ts';
import { accountRefusals, authoritiesMeant, pendingAccountMeant } from './account_lookup.ts';
import { accountText, pendingFlag } from '../members.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The owner authority of an account, which may change its authorities. */
export const getOwnerAuthority = method({
  name: 'alexandria_api.get_owner_authority',
  doc: 'Who may change who may act for an account.',
  params: { account_name: accountText, pending: pendingFlag },
  result: Type.Object({ owner_authority: coded(authority) }),
  example: { params: { account_name: 'alice' } },
  stability: 'stable',
  refuses: accountRefusals,
  thread: 'read',
  handler: ({ account_name }, call) => ({ owner_authority: authoritiesMeant(call, account_name).owner }),
  pending: async ({ account_name }, call) => ({
    owner_authority: (await pendingAccountMeant(call, account_name)).authorities.owner,
  }),
});
