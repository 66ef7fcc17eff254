import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { keyPair, makeKeyPair, type KeyPair } from './key_pair.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import type { Services } from '../services.ts';

const SECRET_BYTES = 32;

/** A new key; the operator of the node could have seen it. */
export const generateKeyPair = method({
  name: 'alexandria_api.generate_key_pair',
  doc: 'A new pair of keys. Applications make their keys themselves: whoever runs the node could have seen these.',
  params: {},
  result: Type.Object({ key_pair: coded(keyPair) }),
  example: { params: {} },
  stability: 'stable',
  thread: 'read',
  handler: (_, services) => ({ key_pair: randomPair(services) }),
});

/** All but one in 10^38 strings of 32 bytes are private keys. */
function randomPair({ randomBytes }: Pick<Services, 'randomBytes'>): KeyPair {
  for (;;) {
    const pair = makeKeyPair(randomBytes(SECRET_BYTES));
    if (pair !== undefined) return pair;
  }
}
