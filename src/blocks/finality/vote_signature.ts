import { verify } from '../../crypto/verify.ts';
import type { VerifySignature } from './certificate.ts';

/** True if a key has signed the digest of a vote. */
export const isVoteSigned: VerifySignature = (digest, signature, key) =>
  verify(digest, Buffer.from(signature, 'hex'), Buffer.from(key, 'hex'));
