import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { nameFromSeed, type AccountName } from '../../values/account_name.ts';
import { accountAuthority, authority } from '../../values/authority.ts';
import { accountMeant, accountRefusals } from './account_lookup.ts';
import { accountText } from '../members.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import type { ReadContext } from '../../queries/read_context.ts';

/** The authority of one account. */
export const createSimpleManagedAuthority = method({
  name: 'alexandria_api.create_simple_managed_authority',
  doc: 'The authority of one account, which is given by its name or its seed.',
  params: { managing_account: accountText },
  result: Type.Object({ simple_managed_authority: coded(authority) }),
  example: { params: { managing_account: 'alice' } },
  stability: 'stable',
  thread: 'read',
  refuses: accountRefusals,
  handler: ({ managing_account }, call) => ({
    simple_managed_authority: accountAuthority(managingName(call, managing_account)),
  }),
});

/** The lineage treated every text as a seed, whether an account had it or not. */
function managingName(call: ReadContext, text: string): AccountName {
  return speaksLineage(call.encoding) ? nameFromSeed(text) : accountMeant(call, text).name;
}
