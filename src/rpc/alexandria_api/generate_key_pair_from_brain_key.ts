import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { mismatch } from '../../codec/decode_error.ts';
import type { Codec } from '../../codec/codec.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { sentText } from '../../values/limited_text.ts';
import { normalizeBrainKey, secretOfBrainKey } from '../../crypto/brain_key.ts';
import { present } from '../../base/assert.ts';
import { keyPair, makeKeyPair } from './key_pair.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** A phrase in the form that the wallet gives it. The lineage took any text as it was. */
const phrase: Codec<string, string> = {
  ...sentText,
  fromJson(json, encoding) {
    const given = sentText.fromJson(json, encoding);
    if (speaksLineage(encoding)) return given;
    const normal = normalizeBrainKey(given);
    return normal === '' ? mismatch('a phrase of at least one word', json) : normal;
  },
  describe: (encoding) => ({
    ...sentText.describe(encoding),
    description: 'a phrase of words',
    ...(speaksLineage(encoding) ? {} : { pattern: '[^ \\t\\r\\n\\v\\f]' }),
  }),
};

/** The keys derived from a phrase. */
export const generateKeyPairFromBrainKey = method({
  name: 'alexandria_api.generate_key_pair_from_brain_key',
  doc: 'The pair of keys that a phrase stands for. As in the wallet, case and further blanks make no difference.',
  params: { brain_key: coded(phrase) },
  result: Type.Object({ key_pair: coded(keyPair) }),
  example: { params: { brain_key: 'WORD ONE TWO' } },
  stability: 'stable',
  needsPrivateKey: true,
  thread: 'read',
  handler: ({ brain_key }) => ({ key_pair: present(makeKeyPair(secretOfBrainKey(brain_key)), 'the key of a hash') }),
});
