import { assert } from '../base/assert.ts';
import { ByteReader } from '../codec/bytes.ts';
import type { Digest, TransactionId } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { LEAF_BYTES } from './merkle.ts';
import { signedTransaction, type VerifiedTransaction, type SignedTransaction } from './transaction.ts';

/** The findings of another thread about a transaction, and the place of its bytes. */
export interface Findings {
  readonly id: TransactionId;
  readonly signers: readonly (PublicKey | undefined)[];
  readonly packed: Uint8Array;
  readonly unsignedBytes: number;
  /** The message that contains the leaf, and the leaf's offset. */
  readonly message: Buffer;
  readonly leafAt: number;
}

/** The places of the leaf and of the packed form of a transaction in one piece of memory. */
export interface TransactionPlace {
  readonly message: Buffer;
  readonly leafAt: number;
  readonly packedAt: number;
}

/**
 * A transaction that another thread of this program has packed and verified; nothing that it found out is computed
 * again. A block has thousands of them and most are never read again, so the transaction stays packed: its values are
 * decoded on demand.
 */
export class PackedVerifiedTransaction implements VerifiedTransaction {
  readonly packed: Uint8Array;
  readonly unsignedBytes: number;
  readonly id: TransactionId;
  readonly signers: readonly (PublicKey | undefined)[];
  readonly #message: Buffer;
  readonly #leafAt: number;

  constructor({ id, signers, packed, unsignedBytes, message, leafAt }: Findings) {
    this.packed = packed;
    this.unsignedBytes = unsignedBytes;
    this.id = id;
    this.signers = signers;
    this.#message = message;
    this.#leafAt = leafAt;
  }

  /** A view of the leaf. */
  get leafBytes(): Uint8Array {
    return this.#message.subarray(this.#leafAt, this.#leafAt + LEAF_BYTES);
  }

  get place(): TransactionPlace {
    const [message, leafAt] = [this.#message, this.#leafAt];
    assert(this.packed.buffer === message.buffer, 'a packed form is a part of its message');
    return { message, leafAt, packedAt: this.packed.byteOffset - message.byteOffset };
  }

  get leaf(): Digest {
    return this.#message.toString('hex', this.#leafAt, this.#leafAt + LEAF_BYTES);
  }

  get transaction(): SignedTransaction {
    // A transaction that is being processed is read several times in a row.
    if (lastRead?.of !== this) lastRead = { of: this, transaction: read(this.packed) };
    return lastRead.transaction;
  }
}

/** The leaf of a transaction, which is not made text and bytes again when it came as bytes. */
export function leafBytes(transaction: Pick<VerifiedTransaction, 'leaf'>): Uint8Array {
  return transaction instanceof PackedVerifiedTransaction
    ? transaction.leafBytes
    : Buffer.from(transaction.leaf, 'hex');
}

/** The leaves of transactions, 32 bytes each. */
export function packLeaves(transactions: readonly Pick<VerifiedTransaction, 'leaf'>[]): Buffer {
  const leaves = Buffer.allocUnsafe(transactions.length * LEAF_BYTES);
  for (const [index, one] of transactions.entries()) leaves.set(leafBytes(one), index * LEAF_BYTES);
  return leaves;
}

/** The place of a transaction; memory of its own where it came otherwise than from another thread. */
export function findPlace(transaction: VerifiedTransaction): TransactionPlace {
  return transaction instanceof PackedVerifiedTransaction
    ? transaction.place
    : placeAlone(leafBytes(transaction), transaction.packed);
}

/** Copies the leaf and the packed form of a transaction into memory of its own. */
export function placeAlone(leaf: Uint8Array, packed: Uint8Array): TransactionPlace {
  // Other small buffers share theirs.
  const message = Buffer.allocUnsafeSlow(LEAF_BYTES + packed.length);
  message.set(leaf);
  message.set(packed, LEAF_BYTES);
  return { message, leafAt: 0, packedAt: LEAF_BYTES };
}

function read(packed: Uint8Array): SignedTransaction {
  const input = new ByteReader(packed);
  const transaction = signedTransaction.read(input);
  input.expectEnd();
  return transaction;
}

let lastRead: { readonly of: PackedVerifiedTransaction; readonly transaction: SignedTransaction } | undefined;
