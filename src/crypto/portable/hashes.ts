import { ripemd160 as ripemd } from '@noble/hashes/legacy.js';
import { sha224 as sha2With224, sha256 as sha2With256, sha512 as sha2With512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

// The functions of hashes.ts for runtimes without Node's crypto.

export const sha256 = (data: Uint8Array): Uint8Array => sha2With256(data);
export const sha256Hex = (data: Uint8Array): string => bytesToHex(sha2With256(data));
export const sha256Binary = (data: Uint8Array): string => String.fromCharCode(...sha2With256(data));
export const sha512 = (data: Uint8Array): Uint8Array => sha2With512(data);
export const sha512Hex = (data: Uint8Array): string => bytesToHex(sha2With512(data));
export const sha224 = (data: Uint8Array): Uint8Array => sha2With224(data);
export const sha224Hex = (data: Uint8Array): string => bytesToHex(sha2With224(data));
export const ripemd160 = (data: Uint8Array): Uint8Array => ripemd(data);
export const ripemd160Hex = (data: Uint8Array): string => bytesToHex(ripemd(data));
export const ripemd160Base64Url = (data: Uint8Array): string =>
  btoa(String.fromCharCode(...ripemd(data)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '');
