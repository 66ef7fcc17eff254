import { Type } from '../../jsonrpc/typebox.ts';
import { secretOfBrainKey } from '../../crypto/brain_key.ts';
import { present } from '../../base/assert.ts';
import { keyPair, keyPairOf } from './key_pair.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';

/** The keys derived from a phrase. */
export const generateKeyPairFromBrainKey = method({
  name: 'alexandria_api.generate_key_pair_from_brain_key',
  doc: 'The pair of keys that a phrase stands for; the phrase is taken as it is, to the last blank.',
  params: { brain_key: Type.String() },
  result: Type.Object({ key_pair: coded(keyPair) }),
  example: { params: { brain_key: 'WORD ONE TWO' } },
  stability: 'stable',
  needsPrivateKey: true,
  thread: 'read',
  handler: ({ brain_key }) => ({ key_pair: present(keyPairOf(secretOfBrainKey(brain_key)), 'the key of a hash') }),
});
