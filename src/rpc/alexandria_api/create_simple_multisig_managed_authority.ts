import Type from 'typebox';
import { sortedUnique } from '../../codec/collections.ts';
import { u32 } from '../../codec/primitives.ts';
import { accountName, compareNames } from '../../values/account_name.ts';
import { authority } from '../../values/authority.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../paging.ts';
import { coded } from '../params.ts';

/** The authority of several accounts, of which some must sign. */
export const createSimpleMultisigManagedAuthority = method({
  name: 'alexandria_api.create_simple_multisig_managed_authority',
  doc: 'The authority of several accounts, given by their names, of which `required_signatures` must sign.',
  params: { managing_accounts: Type.Array(coded(accountName), { maxItems: LARGEST_PAGE }), required_signatures: coded(u32) },
  result: Type.Object({ simple_multisig_managed_authority: coded(authority) }),
  example: { params: { managing_accounts: ['alice', 'bob'], required_signatures: 2 } },
  stability: 'stable',
  thread: 'read',

  handler({ managing_accounts, required_signatures }) {
    const account_auths = sortedUnique(managing_accounts, compareNames).map((name) => [name, 1] as const);
    return { simple_multisig_managed_authority: { weight_threshold: required_signatures, account_auths, key_auths: [] } };
  },
});
