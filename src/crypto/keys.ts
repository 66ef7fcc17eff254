import { cryptoModule, withSecret } from './wasm.ts';

/**
 * The compressed public key (33 bytes) of a private key, or undefined if the 32 bytes are not in 1..n−1. Constant time.
 */
export function derivePublicKey(secret: Uint8Array): Uint8Array | undefined {
  return withSecret(secret, (module) => (module.publicKey() === 1 ? module.keys.slice(0, 33) : undefined));
}

/** True when the bytes are a compressed point on the curve (33 bytes, the first 2 or 3). */
export function isPoint(key: Uint8Array): boolean {
  if (key.length !== 33) return false;
  const module = cryptoModule();
  module.keys.set(key);
  return module.isPoint() === 1;
}
