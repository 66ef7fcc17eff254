import type { Codec } from '../codec/codec.ts';
import { fixedHex } from '../codec/primitives.ts';

/** The lengths of ids of blocks and transactions, and of merkle roots. */
export const ID_BYTES = 20;
export const ID_DIGITS = 2 * ID_BYTES;

/** 20 bytes as 40 lower-case hex digits: ids of blocks and transactions, merkle roots. */
export type Hash160 = string;
export type BlockId = Hash160;
export type TransactionId = Hash160;
/** 32 bytes as 64 lower-case hex digits. */
export type Digest = string;
/** 65 bytes as 130 lower-case hex digits: header byte, r, s. */
export type Signature = string;

export const ZERO_HASH160: Hash160 = '0'.repeat(ID_DIGITS);

export const hash160: Codec<Hash160, string> = fixedHex(ID_BYTES);
export const digest: Codec<Digest, string> = fixedHex(32);
export const signature: Codec<Signature, string> = fixedHex(65);

/** The block number, which is the first four bytes of a block id. */
export function getBlockNumber(id: BlockId): number {
  return Number.parseInt(id.slice(0, 8), 16);
}
