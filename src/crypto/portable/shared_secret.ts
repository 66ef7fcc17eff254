import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { isPoint } from './keys.ts';

/** The shared secret of two key holders, as shared_secret.ts makes it. */
export function sharedSecret(secret: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  if (!secp256k1.utils.isValidSecretKey(secret) || !isPoint(key)) return undefined;
  return sha512(secp256k1.getSharedSecret(secret, key, true).subarray(1));
}
