import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { digest } from '../../values/hash.ts';
import { publicKey } from '../../values/public_key.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { findSigner } from '../signatures.ts';

/** True if a signature was made by a key. */
export const verifySignature = method({
  name: 'alexandria_api.verify_signature',
  doc: 'Whether the key made the signature of the digest; false as well for what is no signature.',
  params: { digest: coded(digest), pub_key: coded(publicKey), signature: Type.String({ maxLength: 256 }) },
  result: Type.Object({ signature_valid: Type.Boolean() }),
  example: {
    params: {
      digest: '27f9d273190f5f11b3ea85032eb3346911fed476a787e7a51300acdd6d80b0b6',
      pub_key: 'PHR1111111111111111111111111111111114T1Anm',
      signature: '',
    },
    result: { signature_valid: false },
  },
  stability: 'stable',
  thread: 'verifier',
  changes: false,
  handler: async ({ digest: signed, pub_key, signature }, call) => ({
    signature_valid: (await findSigner(call, signed, signature)) === pub_key,
  }),
});
