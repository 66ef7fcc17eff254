import { cbc } from '@noble/ciphers/aes.js';

/** AES-256-CBC with PKCS#7 padding; the key has 32 bytes, the initialization vector 16. */
export function encryptCbc(key: Uint8Array, vector: Uint8Array, plain: Uint8Array): Uint8Array {
  return cbc(key, vector).encrypt(plain);
}

/** The reverse; undefined if length or padding is wrong. */
export function decryptCbc(key: Uint8Array, vector: Uint8Array, encrypted: Uint8Array): Uint8Array | undefined {
  if (encrypted.length === 0 || encrypted.length % 16 !== 0) return undefined;
  try {
    return cbc(key, vector).decrypt(encrypted);
  } catch {
    // Only the padding can be wrong here.
    return undefined;
  }
}
