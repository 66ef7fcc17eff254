import { decryptCbc, encryptCbc } from './aes_cbc.ts';
import { sha256, sha512 } from './hashes.ts';

/**
 * The key of one message (wire_format.md#encrypted-data): sha512(nonce as 8 bytes little-endian, then the shared
 * secret), 64 bytes.
 */
export function messageKey(nonce: bigint, shared: Uint8Array): Uint8Array {
  const input = Buffer.alloc(8 + shared.length);
  input.writeBigUInt64LE(BigInt.asUintN(64, nonce));
  input.set(shared, 8);
  return sha512(input);
}

/** The first 8 bytes of sha256(message key): shows a reader whether its key is the right one. */
export function messageCheck(key: Uint8Array): Uint8Array {
  return sha256(key).subarray(0, 8);
}

/** AES-256-CBC with PKCS#7 padding; key and initialization vector come from the message key. */
export function encryptBytes(key: Uint8Array, plain: Uint8Array): Uint8Array {
  return encryptCbc(key.subarray(0, 32), key.subarray(32, 48), plain);
}

/** The reverse of encryptBytes; undefined if length or padding is wrong. */
export function decryptBytes(key: Uint8Array, encrypted: Uint8Array): Uint8Array | undefined {
  return decryptCbc(key.subarray(0, 32), key.subarray(32, 48), encrypted);
}

/** The bytes, prefixed with their length as varint32 (7 bits per byte, low bits first). */
export function packBytes(data: Uint8Array): Uint8Array {
  const length: number[] = [];
  let rest = data.length;
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  length.push(rest);
  return Buffer.concat([Uint8Array.from(length), data]);
}

/** Reads what packBytes writes, at `offset`; undefined if the length is malformed or exceeds the record. */
export function unpackBytes(record: Uint8Array, offset: number): { data: Uint8Array; end: number } | undefined {
  let length = 0;
  let at = offset;
  for (let shift = 0; ; shift += 7) {
    const byte = record[at++];
    if (byte === undefined || shift > 28) return undefined;
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (at + length > record.length) return undefined;
  return { data: record.subarray(at, at + length), end: at + length };
}
