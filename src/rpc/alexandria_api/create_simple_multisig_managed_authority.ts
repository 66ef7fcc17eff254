import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { sortedUnique } from '../../codec/collections.ts';
import { inMember } from '../../codec/decode_error.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { u32 } from '../../codec/primitives.ts';
import { accountName, compareNames, type AccountName } from '../../values/account_name.ts';
import { authority } from '../../values/authority.ts';
import { accountMeant, accountRefusals } from './account_lookup.ts';
import { accountText } from '../members.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { requireReachable } from './required_signatures.ts';
import type { ReadContext } from '../../queries/read_context.ts';

/** The authority of several accounts, a minimum number of which must sign. */
export const createSimpleMultisigManagedAuthority = method({
  name: 'alexandria_api.create_simple_multisig_managed_authority',
  doc: 'The authority of several accounts, given by their names or seeds, of which `required_signatures` must sign.',
  params: { managing_accounts: Type.Array(accountText, { maxItems: LARGEST_PAGE }), required_signatures: coded(u32) },
  result: Type.Object({ simple_multisig_managed_authority: coded(authority) }),
  example: { params: { managing_accounts: ['alice', 'bob'], required_signatures: 2 } },
  stability: 'stable',
  refuses: accountRefusals,
  thread: 'read',

  handler({ managing_accounts, required_signatures }, call) {
    const names = managing_accounts.map((text, k) =>
      inMember('managing_accounts', () => inMember(k, () => managingName(call, text))),
    );
    requireReachable(required_signatures, new Set(names).size, call.encoding);
    const account_auths = sortedUnique(names, compareNames).map((name) => [name, 1] as const);
    return {
      simple_multisig_managed_authority: { weight_threshold: required_signatures, account_auths, key_auths: [] },
    };
  },
});

/** The lineage treated every text as a name, whether the account existed or not. */
function managingName(call: ReadContext, text: string): AccountName {
  return speaksLineage(call.encoding) ? accountName.fromJson(text, call.encoding) : accountMeant(call, text).name;
}
