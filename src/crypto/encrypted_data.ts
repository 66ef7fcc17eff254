import { base58Decode, base58Encode } from './base58.ts';
import { decryptBytes, encryptBytes, messageCheck, messageKey, packBytes, unpackBytes } from './memo_cipher.ts';
import { sharedSecret } from './shared_secret.ts';

/** Base58 takes quadratic time; 16 KiB of text (50 ms) is more than a transaction can contain. */
export const LONGEST_ENCRYPTED = 16_384;

/** A text can't be decrypted: it is not a record, or it is not for these keys. */
export type DecryptFailure = 'not_a_record' | 'wrong_key';

/**
 * The record of wire_format.md#encrypted-data as base58: nonce (i64, microseconds), check, ciphertext. Undefined if a
 * key is invalid.
 */
export function encryptData(
  data: Uint8Array,
  secret: Uint8Array,
  recipient: Uint8Array,
  nonce: bigint,
): string | undefined {
  const shared = sharedSecret(secret, recipient);
  if (shared === undefined) return undefined;
  const key = messageKey(nonce, shared);
  const head = Buffer.alloc(16);
  head.writeBigUInt64LE(BigInt.asUintN(64, nonce));
  head.set(messageCheck(key), 8);
  return base58Encode(Buffer.concat([head, packBytes(encryptBytes(key, packBytes(data)))]));
}

/** The head and ciphertext of a record, or undefined if the text is not a record in its canonical encoding. */
function parseRecord(text: string): { nonce: bigint; check: Uint8Array; encrypted: Uint8Array } | undefined {
  if (text.length <= 40 || text.length > LONGEST_ENCRYPTED) return undefined;
  const record = base58Decode(text);
  if (record === undefined || record.length < 17) return undefined;
  const packed = unpackBytes(record, 16);
  // Packing again must give the same text: no trailing bytes, and the shortest encoding of the length.
  if (packed === undefined || packed.end !== record.length || packBytes(packed.data).length !== record.length - 16)
    return undefined;
  return {
    nonce: Buffer.from(record.subarray(0, 8)).readBigUInt64LE(),
    check: record.subarray(8, 16),
    encrypted: packed.data,
  };
}

/** Decrypts a record: as the recipient with the sender's public key, or as the sender with the recipient's. */
export function decryptData(text: string, secret: Uint8Array, other: Uint8Array): Uint8Array | DecryptFailure {
  const record = parseRecord(text);
  if (record === undefined) return 'not_a_record';
  const shared = sharedSecret(secret, other);
  if (shared === undefined) return 'wrong_key';
  const key = messageKey(record.nonce, shared);
  if (Buffer.compare(messageCheck(key), record.check) !== 0) return 'wrong_key';
  const plain = decryptBytes(key, record.encrypted);
  return (plain === undefined ? undefined : unpackBytes(plain, 0)?.data) ?? 'not_a_record';
}
