import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { authority, keyAuthority } from '../../values/authority.ts';
import { publicKey } from '../../values/public_key.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The authority of one key. */
export const createSimpleAuthority = method({
  name: 'alexandria_api.create_simple_authority',
  doc: 'The authority of one key.',
  params: { pub_key: coded(publicKey) },
  result: Type.Object({ simple_authority: coded(authority) }),
  example: { params: { pub_key: 'PHR1111111111111111111111111111111114T1Anm' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ pub_key }) => ({ simple_authority: keyAuthority(pub_key) }),
});
