import { base58Decode, base58Encode } from './base58.ts';
import { derivePublicKey } from './keys.ts';
import { decryptBytes, encryptBytes, messageCheck, messageKey, packBytes, unpackBytes } from './memo_cipher.ts';
import { sharedSecret } from './shared_secret.ts';

/** A memo of a transfer is shorter than 2048 bytes; the limit keeps a hostile text from taking time. */
const MAX_TEXT = 16_384;

/** An encrypted memo with its unencrypted parts, such as the memo keys of both sides. */
export interface WalletMemo {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly nonce: bigint;
  readonly check: Uint8Array;
  readonly encrypted: Uint8Array;
}

/**
 * Encrypts `text` (without its leading '#') as a memo of wire_format.md#encrypted-memos ('#' and base58); undefined if
 * a key is invalid.
 */
export function encryptMemo(
  text: string,
  secret: Uint8Array,
  recipient: Uint8Array,
  nonce: bigint,
): string | undefined {
  const from = derivePublicKey(secret);
  const shared = sharedSecret(secret, recipient);
  if (from === undefined || shared === undefined) return undefined;
  const key = messageKey(nonce, shared);
  const number = Buffer.alloc(8);
  number.writeBigUInt64LE(BigInt.asUintN(64, nonce));
  const encrypted = encryptBytes(key, packBytes(Buffer.from(text, 'utf8')));
  return `#${base58Encode(Buffer.concat([from, recipient, number, messageCheck(key).subarray(0, 4), packBytes(encrypted)]))}`;
}

/** Parses an encrypted memo without decrypting it; undefined if the text is not one. */
export function parseMemo(memo: string): WalletMemo | undefined {
  if (!memo.startsWith('#') || memo.length > MAX_TEXT) return undefined;
  const record = base58Decode(memo.slice(1));
  if (record === undefined || record.length < 79) return undefined;
  const packed = unpackBytes(record, 78);
  if (packed === undefined || packed.end !== record.length) return undefined;
  return {
    from: record.slice(0, 33),
    to: record.slice(33, 66),
    nonce: Buffer.from(record.subarray(66, 74)).readBigUInt64LE(),
    check: record.slice(74, 78),
    encrypted: packed.data,
  };
}

/**
 * Decrypts a memo with the private key of either side (`other` is the opposite public key); undefined if the key is
 * wrong.
 */
export function decryptMemo(memo: WalletMemo, secret: Uint8Array, other: Uint8Array): string | undefined {
  const shared = sharedSecret(secret, other);
  if (shared === undefined) return undefined;
  const key = messageKey(memo.nonce, shared);
  if (Buffer.compare(messageCheck(key).subarray(0, 4), memo.check) !== 0) return undefined;
  const plain = decryptBytes(key, memo.encrypted);
  const text = plain === undefined ? undefined : unpackBytes(plain, 0);
  return text === undefined ? undefined : Buffer.from(text.data).toString('utf8');
}
