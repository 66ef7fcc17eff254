import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { digest, signature } from '../../values/hash.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { privateKeyRefusals, requireSecret, signDigest, privateKeyText } from './private_key.ts';

/** The signature of a digest. */
export const signDigestMethod = method({
  name: 'alexandria_api.sign_digest',
  doc: 'Signs a digest with a private key in wallet import format: 65 bytes, the same for the same digest and key.',
  params: { digest: coded(digest), pk: coded(privateKeyText) },
  result: Type.Object({ signed_digest: coded(signature) }),
  example: {
    params: {
      digest: '27f9d273190f5f11b3ea85032eb3346911fed476a787e7a51300acdd6d80b0b6',
      pk: '5J6SQSqzzUtQsjcJb3KhjXUCyScEfj83D8sdpfFAjAejGjDqhuu',
    },
  },
  stability: 'stable',
  needsPrivateKey: true,
  refuses: privateKeyRefusals,
  thread: 'read',
  handler: ({ digest: signed, pk }) => ({ signed_digest: signDigest(signed, requireSecret(pk)) }),
});
