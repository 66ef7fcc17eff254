import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { refusals } from '../../base/refusal.ts';
import { accountName } from '../../values/account_name.ts';
import { publicKey } from '../../values/public_key.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

const refuse = refusals({
  not_implemented: 'this method is not implemented; verify_authority checks a signed transaction',
});

/**
 * Marked "not implemented" by the interface, and refused as such: the lineage accepts the call but checks no signer.
 */
export const verifyAccountAuthority = method({
  name: 'database_api.verify_account_authority',
  doc: 'Documented as not implemented, and always refused as that. verify_authority and verify_signatures do the work.',
  params: { account: coded(accountName), signers: Type.Array(coded(publicKey), { maxItems: LARGEST_PAGE }) },
  result: Type.Object({ valid: Type.Boolean() }),
  example: { params: { account: 'alice', signers: [] } },
  stability: 'deprecated',
  refuses: refuse.texts,
  thread: 'read',
  handler: () => refuse.not_implemented(),
});
