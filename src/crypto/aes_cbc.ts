import { createCipheriv, createDecipheriv } from 'node:crypto';

/** AES-256-CBC with PKCS#7 padding; the key has 32 bytes, the initialization vector 16. */
export function encryptCbc(key: Uint8Array, vector: Uint8Array, plain: Uint8Array): Uint8Array {
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

/** The reverse; undefined if length or padding is wrong. */
export function decryptCbc(key: Uint8Array, vector: Uint8Array, encrypted: Uint8Array): Uint8Array | undefined {
  if (encrypted.length === 0 || encrypted.length % 16 !== 0) return undefined;
  const cipher = createDecipheriv('aes-256-cbc', key, vector);
  try {
    return Buffer.concat([cipher.update(encrypted), cipher.final()]);
  } catch {
    // Only the padding can be wrong here.
    return undefined;
  }
}
