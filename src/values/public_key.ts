import { base58Decode, base58Encode } from '../crypto/base58.ts';
import { ripemd160 } from '../crypto/hashes.ts';
import { decodeWif } from '../crypto/wif.ts';
import type { Codec } from '../codec/codec.ts';
import { DecodeError, mismatch } from '../codec/decode_error.ts';
import { plainText, writing } from '../codec/json_text.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';

/** A compressed point as 66 lower-case hex digits; not checked to be on the curve. */
export type PublicKey = string;

const KEY_BYTES = 33;
const CHECKSUM_BYTES = 4;

/** 33 zero bytes: a key without an owner. */
export const NULL_KEY: PublicKey = '0'.repeat(KEY_BYTES * 2);

/** Scratch space for a key and its checksum, before encoding. */
const checked = Buffer.alloc(KEY_BYTES + CHECKSUM_BYTES);
const checkedKey = checked.subarray(0, KEY_BYTES);

/** The prefix, then base58 of the key and the first four bytes of its ripemd160. */
export function publicKeyText(key: PublicKey, prefix: string): string {
  checked.write(key, 'hex');
  const checksum = ripemd160(checkedKey);
  for (let index = 0; index < CHECKSUM_BYTES; index++) checked[KEY_BYTES + index] = checksum[index] ?? 0;
  return prefix + base58Encode(checked);
}

/** Parses a public key; undefined if prefix, base58, length or checksum is wrong. */
export function parsePublicKey(text: string, prefix: string): PublicKey | undefined {
  if (!text.startsWith(prefix) || text.length > prefix.length + 60) return undefined;
  const bytes = base58Decode(text.slice(prefix.length));
  if (bytes === undefined || bytes.length < KEY_BYTES + CHECKSUM_BYTES) return undefined;
  const key = bytes.subarray(0, KEY_BYTES);
  const checksum = bytes.subarray(KEY_BYTES, KEY_BYTES + CHECKSUM_BYTES);
  const isIntact = Buffer.compare(ripemd160(key).subarray(0, CHECKSUM_BYTES), checksum) === 0;
  return isIntact ? Buffer.from(key).toString('hex') : undefined;
}

/** Compares keys by their bytes. */
export function compareKeys(a: PublicKey, b: PublicKey): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function keyFromJson(text: string, encoding: EncodingOptions): PublicKey {
  const key = parsePublicKey(text, encoding.keyPrefix);
  if (key !== undefined) return key;
  // A private key given by mistake must not end up in a log.
  if (decodeWif(text) !== undefined)
    throw new DecodeError(`a public key that starts with ${encoding.keyPrefix} expected, got a private key`);
  const isMistyped = text.startsWith(encoding.keyPrefix);
  return mismatch(
    isMistyped ? 'a public key with a right checksum' : `a public key that starts with ${encoding.keyPrefix}`,
    text,
  );
}

/** 33 raw bytes; in JSON prefix and base58. */
export const publicKey: Codec<PublicKey, string> = {
  write: (out, key) => out.hex(key),
  read: (input) => input.hex(KEY_BYTES),
  toJson: writing(
    (key, encoding) => publicKeyText(key, encoding.keyPrefix),
    (key, encoding) => plainText(publicKeyText(key, encoding.keyPrefix)),
  ),
  fromJson: (json, encoding) =>
    typeof json === 'string' ? keyFromJson(json, encoding) : mismatch('a public key', json),
  initial: () => NULL_KEY,
  describe: (encoding) => ({ type: 'string', pattern: `^${encoding.keyPrefix}[1-9A-HJ-NP-Za-km-z]{1,60}$` }),
};
