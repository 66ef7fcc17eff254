import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';

/** The cost of trying a password (RFC 7914): memory is 128 × n × r bytes, time grows with n × r × p. */
export interface ScryptCost {
  /** A power of two. */
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

const KEY_BYTES = 32;
const TAG_BYTES = 16;
/** Lengths of salt and nonce, as RFC 7914 and NIST SP 800-38D recommend. */
export const SALT_BYTES = 32;
export const NONCE_BYTES = 12;

/** Derives a key from a password: scrypt, 32 bytes. Does not block the event loop. */
export function keyOfPassword(password: string, salt: Uint8Array, { n, r, p }: ScryptCost): Promise<Uint8Array> {
  const maxmem = 256 * n * r + 1024 * r * p;
  return new Promise((resolve, reject) => {
    scrypt(Buffer.from(password.normalize('NFKC'), 'utf8'), salt, KEY_BYTES, { N: n, r, p, maxmem }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

/**
 * AES-256-GCM: the ciphertext and its tag. `open` is authenticated but not encrypted; never use a nonce twice with the
 * same key.
 */
export function seal(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, open: Uint8Array): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(open);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** The reverse of `seal`; undefined if the key is wrong or anything was changed. */
export function unseal(
  key: Uint8Array,
  nonce: Uint8Array,
  sealed: Uint8Array,
  open: Uint8Array,
): Uint8Array | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(open);
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), decipher.final()]);
  } catch {
    // Only the tag can be wrong here.
    return undefined;
  }
}
