import { Type } from '../../jsonrpc/typebox.ts';
import { sortedUnique } from '../../codec/collections.ts';
import { u32 } from '../../codec/primitives.ts';
import { authority } from '../../values/authority.ts';
import { compareKeys, publicKey } from '../../values/public_key.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';

/** The authority of several keys, of which some must sign. */
export const createSimpleMultisigAuthority = method({
  name: 'alexandria_api.create_simple_multisig_authority',
  doc: 'The authority of several keys with the weight 1 each, of which `required_signatures` must sign.',
  params: { pub_keys: Type.Array(coded(publicKey), { maxItems: LARGEST_PAGE }), required_signatures: coded(u32) },
  result: Type.Object({ simple_multisig_authority: coded(authority) }),
  example: { params: { pub_keys: ['PHR1111111111111111111111111111111114T1Anm'], required_signatures: 1 } },
  stability: 'stable',
  thread: 'read',

  handler({ pub_keys, required_signatures }) {
    const key_auths = sortedUnique(pub_keys, compareKeys).map((key) => [key, 1] as const);
    return { simple_multisig_authority: { weight_threshold: required_signatures, account_auths: [], key_auths } };
  },
});
