import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/codec.ts';
import { vector } from '../codec/collections.ts';
import { struct } from '../codec/struct.ts';
import type { BlockId } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { blockId, headerNumber, packedBlockId, signedBlockHeader, type SignedBlockHeader } from './header.ts';
import {
  packTransaction,
  readOwnTransaction,
  readPackedTransaction,
  readTrustedTransaction,
  signedTransaction,
  type PackedTransaction,
  type VerifiedTransaction,
} from './transaction.ts';

/** The signed header, then the transactions (wire_format.md#blocks). */
export const signedBlock = struct({ ...signedBlockHeader.fields, transactions: vector(signedTransaction) });

export type SignedBlock = ValueOf<typeof signedBlock>;

/** A block with everything derived from its bytes, computed once. */
export interface PackedBlock {
  readonly number: number;
  readonly id: BlockId;
  readonly header: SignedBlockHeader;
  /** The length of the signed header, with which the wire form begins. */
  readonly headerBytes: number;
  readonly transactions: readonly PackedTransaction[];
  /** The signed block in its wire form. */
  readonly packed: Uint8Array;
}

/** A block with the recovered signers of its header and transactions. */
export interface VerifiedBlock extends PackedBlock {
  readonly transactions: readonly VerifiedTransaction[];
  /** The key of the witness's signature; undefined when no key can have made it. */
  readonly signer: PublicKey | undefined;
  /** True if nobody has verified the signatures of its transactions. Such a block can only follow the head. */
  readonly isUnverified?: boolean | undefined;
}

const scratch = new ByteWriter(64 * 1024);

/** Makes a block from a header and packed transactions. */
export function packBlock<T extends PackedTransaction>(
  header: SignedBlockHeader,
  transactions: readonly T[],
): PackedBlock & { readonly transactions: readonly T[] } {
  scratch.reset();
  signedBlockHeader.write(scratch, header);
  const headerBytes = scratch.length;
  const number = headerNumber(header);
  const id = packedBlockId(number, scratch.view());
  scratch.varint(transactions.length);
  for (const { packed } of transactions) scratch.bytes(packed);
  return { number, id, header, headerBytes, transactions, packed: scratch.finish() };
}

/**
 * Reads a block from another source; its ids and its size are those of the bytes that we would write. Where these are
 * the bytes that were received, which they nearly always are, nothing is copied.
 */
export function readBlock(bytes: Uint8Array): PackedBlock {
  const input = new ByteReader(bytes);
  const header = signedBlockHeader.read(input);
  const headerBytes = input.position;
  scratch.reset();
  signedBlockHeader.write(scratch, header);
  const number = headerNumber(header);
  const id = packedBlockId(number, scratch.view());
  const count = input.varint();
  scratch.varint(count);
  let isAsWritten = scratch.equals(bytes, 0, input.position);
  const transactions: PackedTransaction[] = [];
  for (let left = count; left > 0; left--) {
    const transaction = readPackedTransaction(bytes, input);
    if (transaction.packed.buffer !== bytes.buffer) isAsWritten = false;
    transactions.push(transaction);
  }
  input.expectEnd();
  return isAsWritten
    ? { number, id, header, headerBytes, transactions, packed: bytes }
    : packBlock(header, transactions);
}

/** The packed form of a block that was read from JSON. */
export function packTransactions({ transactions, ...header }: SignedBlock): PackedBlock {
  return packBlock(header, transactions.map(packTransaction));
}

/** Reads a block that this program has written, with an id that may be known: the bytes are taken as they are. */
export function readOwnBlock(bytes: Uint8Array, id?: BlockId): PackedBlock {
  const input = new ByteReader(bytes);
  const header = signedBlockHeader.read(input);
  const headerBytes = input.position;
  const transactions: PackedTransaction[] = [];
  for (let left = input.varint(); left > 0; left--) transactions.push(readOwnTransaction(bytes, input));
  input.expectEnd();
  return { number: headerNumber(header), id: id ?? blockId(header), header, headerBytes, transactions, packed: bytes };
}

/** Reads a block that was checked before, for a replay that trusts it: signers are not recovered. */
export function readTrustedBlock(bytes: Uint8Array, id?: BlockId): VerifiedBlock {
  const input = new ByteReader(bytes);
  const header = signedBlockHeader.read(input);
  const headerBytes = input.position;
  const number = headerNumber(header);
  const transactions: VerifiedTransaction[] = [];
  for (let left = input.varint(); left > 0; left--) transactions.push(readTrustedTransaction(bytes, input));
  input.expectEnd();
  const own = id ?? packedBlockId(number, bytes.subarray(0, headerBytes));
  return { number, id: own, header, headerBytes, transactions, packed: bytes, signer: undefined };
}

/** Reads the signed header at the start of a packed block. */
export function readHeader(bytes: Uint8Array): SignedBlockHeader {
  return signedBlockHeader.read(new ByteReader(bytes));
}
