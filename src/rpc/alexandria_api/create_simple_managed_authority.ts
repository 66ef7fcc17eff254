import Type from 'typebox';
import { nameFromSeed } from '../../values/account_name.ts';
import { accountAuthority, authority } from '../../values/authority.ts';
import { accountText } from '../members.ts';
import { method } from '../method.ts';
import { coded } from '../params.ts';

/** The authority of the account that a seed has. */
export const createSimpleManagedAuthority = method({
  name: 'alexandria_api.create_simple_managed_authority',
  doc: 'The authority of one account, which is given by its seed.',
  params: { managing_account: accountText },
  result: Type.Object({ simple_managed_authority: coded(authority) }),
  example: { params: { managing_account: 'alice' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ managing_account }) => ({ simple_managed_authority: accountAuthority(nameFromSeed(managing_account)) }),
});
