import { present } from '../base/assert.ts';
import { refusals } from '../base/refusal.ts';
import { decryptData, encryptData } from '../crypto/encrypted_data.ts';
import { normalizeBrainKey, secretOfBrainKey, secretOfSeed } from '../crypto/brain_key.ts';
import { derivePublicKey as pointOf } from '../crypto/keys.ts';
import { randomBytes } from '../crypto/random.ts';
import { decryptMemo as openMemo, encryptMemo as sealMemo, parseMemo } from '../crypto/wallet_memo.ts';
import { decodeWif, encodeWif, wifFault } from '../crypto/wif.ts';
import { parsePublicKey, publicKeyText } from '../values/public_key.ts';

const refuse = refusals({
  not_a_private_key: 'the private key {fault}',
  not_a_public_key: 'a public key that starts with {prefix} expected, with a right checksum',
  not_a_memo: 'the text is no encrypted memo',
  not_for_this_key: 'the text is not encrypted for this key',
});

/** The default prefix of public keys; `client.symbols.keyPrefix` is that of a node's chain. */
const COMMON_PREFIX = 'PHR';

/** A new private key, in wallet import format. */
export function generateKey(): string {
  for (;;) {
    const secret = randomBytes(32);
    // All but one of 2¹²⁸ are keys.
    if (pointOf(secret) !== undefined) return encodeWif(secret);
  }
}

/** The public key of a private one. Refuses what is no private key. */
export function derivePublicKey(wif: string, prefix = COMMON_PREFIX): string {
  return publicKeyText(toHex(decodeKey(wif).point), prefix);
}

/** True when a text is a private key in wallet import format. */
export function isPrivateKey(text: string): boolean {
  const secret = decodeWif(text);
  return secret !== undefined && pointOf(secret) !== undefined;
}

/** True when a text is a public key with a right checksum. */
export function isPublicKey(text: string, prefix = COMMON_PREFIX): boolean {
  return parsePublicKey(text, prefix) !== undefined;
}

/** The private key of a phrase, as the wallet makes it: case and blanks don't matter. Each number gives another key. */
export function keyOfBrainKey(phrase: string, sequence = 0): string {
  return encodeWif(secretOfBrainKey(normalizeBrainKey(phrase), sequence));
}

/** The private key of a word, as development chains derive it: whoever knows the word knows the key. */
export function keyOfSeed(seed: string): string {
  return encodeWif(secretOfSeed(seed));
}

/** A memo that only the holders of both keys can read: `#` and base58. */
export function encryptMemo(text: string, wif: string, recipient: string, prefix = COMMON_PREFIX): string {
  const { secret } = decodeKey(wif);
  return sealMemo(text, secret, pointOfText(recipient, prefix), nonce()) ?? refuse.not_a_public_key({ prefix });
}

/** The text of a memo, for its sender or its recipient. Refuses what is no encrypted memo or not for this key. */
export function decryptMemo(memo: string, wif: string): string {
  const parsed = parseMemo(memo) ?? refuse.not_a_memo();
  const { secret, point } = decodeKey(wif);
  const other = toHex(parsed.from) === toHex(point) ? parsed.to : parsed.from;
  return openMemo(parsed, secret, other) ?? refuse.not_for_this_key();
}

/** Bytes that only the holders of both keys can read, as a text: what `alexandria_api.encrypt_data` makes. */
export function encryptBytes(bytes: Uint8Array, wif: string, recipient: string, prefix = COMMON_PREFIX): string {
  const { secret } = decodeKey(wif);
  return encryptData(bytes, secret, pointOfText(recipient, prefix), nonce()) ?? refuse.not_a_public_key({ prefix });
}

/** The reverse, with the public key of the other side. */
export function decryptBytes(text: string, wif: string, other: string, prefix = COMMON_PREFIX): Uint8Array {
  const plain = decryptData(text, decodeKey(wif).secret, pointOfText(other, prefix));
  return typeof plain === 'string' ? refuse.not_for_this_key() : plain;
}

function decodeKey(wif: string): { readonly secret: Uint8Array; readonly point: Uint8Array } {
  const secret = decodeWif(wif) ?? refuse.not_a_private_key({ fault: wifFault(wif) });
  return { secret, point: pointOf(secret) ?? refuse.not_a_private_key({ fault: wifFault(wif) }) };
}

function pointOfText(key: string, prefix: string): Uint8Array {
  return Buffer.from(parsePublicKey(key, prefix) ?? refuse.not_a_public_key({ prefix }), 'hex');
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Microseconds, with the last three digits random: two memos of the same millisecond must not share a key. */
function nonce(): bigint {
  const [high, low] = randomBytes(2);
  return BigInt(Date.now()) * 1000n + BigInt((present(high, 'a byte') * 256 + present(low, 'a byte')) % 1000);
}
