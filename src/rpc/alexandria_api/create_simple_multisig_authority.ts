import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { sortedUnique } from '../../codec/collections.ts';
import { u32 } from '../../codec/primitives.ts';
import { authority } from '../../values/authority.ts';
import { compareKeys, NULL_KEY, publicKey } from '../../values/public_key.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { requireReachable } from './required_signatures.ts';

/** The authority of several keys, a minimum number of which must sign. */
export const createSimpleMultisigAuthority = method({
  name: 'alexandria_api.create_simple_multisig_authority',
  doc: 'The authority of several keys with the weight 1 each, of which `required_signatures` must sign.',
  params: { pub_keys: Type.Array(coded(publicKey), { maxItems: LARGEST_PAGE }), required_signatures: coded(u32) },
  result: Type.Object({ simple_multisig_authority: coded(authority) }),
  example: { params: { pub_keys: ['PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv'], required_signatures: 1 } },
  stability: 'stable',
  thread: 'read',

  handler({ pub_keys, required_signatures }, { encoding }) {
    const keys = sortedUnique(pub_keys, compareKeys);
    requireReachable(required_signatures, keys.filter((key) => key !== NULL_KEY).length, encoding);
    const key_auths = keys.map((key) => [key, 1] as const);
    return { simple_multisig_authority: { weight_threshold: required_signatures, account_auths: [], key_auths } };
  },
});
