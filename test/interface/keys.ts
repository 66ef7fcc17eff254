import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { testSecret } from '../outside/signer.ts';

// Keys as text, written down a second time, so that what the node prints is compared with something.

/** The prefix of public keys in the words of the default profile. */
export const PREFIX = 'PHR';

/** The public key of whoever signs under this label; its secret is the sha256 of the label. */
export function publicKey(label: string): string {
  return derivePublicKey(testSecret(label));
}

/** The 33 bytes of that key, in hex. */
export function compressed(label: string): string {
  return Buffer.from(secp256k1.getPublicKey(testSecret(label))).toString('hex');
}

/** The secret of this label in wallet import format. */
export function wif(label: string): string {
  return encodeWif(testSecret(label));
}

/** The public key of a secret. */
export function derivePublicKey(secret: Buffer): string {
  const key = Buffer.from(secp256k1.getPublicKey(secret));
  return PREFIX + base58(Buffer.concat([key, hash('ripemd160', key).subarray(0, 4)]));
}

/** A secret in wallet import format. */
export function encodeWif(secret: Buffer): string {
  const bytes = Buffer.concat([Buffer.of(0x80), secret]);
  return base58(Buffer.concat([bytes, hash('sha256', hash('sha256', bytes)).subarray(0, 4)]));
}

/**
 * The chain name that a seed stands for: its ripemd160 and a zero byte in base64 for URLs, without the A's at the end.
 */
export function nameOfSeed(seed: string): string {
  return Buffer.concat([hash('ripemd160', Buffer.from(seed)), Buffer.of(0)])
    .toString('base64url')
    .replace(/A+$/, '');
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function base58(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = `${ALPHABET[Number(rest % 58n)]}${text}`;
  return text;
}

function hash(name: 'ripemd160' | 'sha256', bytes: Buffer): Buffer {
  return createHash(name).update(bytes).digest();
}
