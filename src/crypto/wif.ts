import { assert } from '../base/assert.ts';
import { base58Decode, base58Encode } from './base58.ts';
import { sha256 } from './hashes.ts';

/** A private key has 51 or 52 characters; the limit keeps a hostile text from taking time. */
export const LONGEST_WIF = 100;

const equal4 = (a: Uint8Array, b: Uint8Array): boolean =>
  a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3];

/**
 * Encodes a private key (wire_format.md#private-keys): base58 of 0x80, the 32 bytes, and 4 bytes of the double SHA-256.
 */
export function encodeWif(secret: Uint8Array): string {
  assert(secret.length === 32, 'a private key has 32 bytes');
  const record = new Uint8Array(37);
  record[0] = 0x80;
  record.set(secret, 1);
  record.set(sha256(sha256(record.subarray(0, 33))).subarray(0, 4), 33);
  return base58Encode(record);
}

/** A human-readable reason why a text is not a private key. */
export function wifFault(text: string): string {
  if (!/^5.{50}$/.test(text)) return 'is not in wallet import format, which has 51 characters and begins with 5';
  if (base58Decode(text) === undefined) return 'has a character that keys do not have, such as 0, O, I or l';
  return decodeWif(text) === undefined
    ? 'has a wrong checksum, so some of its characters are mistyped'
    : 'is 0 or not below the order of the curve';
}

/**
 * Decodes a private key, or returns undefined. As lenient as the lineage: accepts a checksum of the single or the
 * double SHA-256 and ignores the version byte and a compression byte after the key. Does not check that the 32 bytes
 * are in 1..n−1.
 */
export function decodeWif(text: string): Uint8Array | undefined {
  if (text.length > LONGEST_WIF) return undefined;
  const record = base58Decode(text);
  // Version, key and checksum; the lineage requires only 5 bytes and reads past the end of shorter records.
  if (record === undefined || record.length < 37) return undefined;
  const body = record.subarray(0, record.length - 4);
  const checksum = record.subarray(record.length - 4);
  const once = sha256(body);
  if (!equal4(once, checksum) && !equal4(sha256(once), checksum)) return undefined;
  return record.slice(1, 33);
}
