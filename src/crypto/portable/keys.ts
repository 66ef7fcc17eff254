import { secp256k1 } from '@noble/curves/secp256k1.js';

// The functions of keys.ts without WebAssembly: noble multiplies in a time that doesn't depend on the secret, as far as
// JavaScript allows.

/** The compressed public key (33 bytes) of a private key, or undefined if the 32 bytes are not in 1..n−1. */
export function derivePublicKey(secret: Uint8Array): Uint8Array | undefined {
  return secp256k1.utils.isValidSecretKey(secret) ? secp256k1.getPublicKey(secret, true) : undefined;
}

/** True when the bytes are a compressed point on the curve (33 bytes, the first 2 or 3). */
export function isPoint(key: Uint8Array): boolean {
  return secp256k1.utils.isValidPublicKey(key, true);
}
