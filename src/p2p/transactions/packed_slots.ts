import { present } from '../../base/assert.ts';
import { LEAF_BYTES } from '../../blocks/merkle.ts';
import {
  findPlace,
  PackedVerifiedTransaction,
  placeAlone,
  type TransactionPlace,
} from '../../blocks/packed_verified_transaction.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import type { TransactionId } from '../../values/hash.ts';

type Signers = VerifiedTransaction['signers'];

const FIRST_CAPACITY = 1024;
/** The share of its memory that must still be in use. */
const SHARED_PART = 4;

/**
 * Transactions with what was found out about them, by slot, as bytes: most of them those in which they came. Hundreds
 * of thousands can stay for minutes. Each collection of garbage looks at all objects that live so long
 * (bench/tried.md), so objects are made for who asks.
 */
export class PackedSlots {
  /** The memory in which a transaction lies, together with others. */
  readonly #messages: (Buffer | undefined)[] = [];
  readonly #signers: (Signers | undefined)[] = [];
  /** Offsets in that memory, and lengths. */
  #leafAt = new Uint32Array(FIRST_CAPACITY);
  #packedAt = new Uint32Array(FIRST_CAPACITY);
  #packedBytes = new Uint32Array(FIRST_CAPACITY);
  #unsignedBytes = new Uint32Array(FIRST_CAPACITY);
  /** Of each piece of memory the bytes that are still here. */
  readonly #keptOf = new Map<Buffer, number>();

  /** True if the slot has a transaction. */
  has(slot: number): boolean {
    return this.#messages[slot] !== undefined;
  }

  /** Bytes of the packed form. */
  lengthOf(slot: number): number {
    return this.#packedBytes[slot] ?? 0;
  }

  /** In the order of the signatures; undefined where there is no transaction. */
  signersOf(slot: number): Signers | undefined {
    return this.#signers[slot];
  }

  /** True if the slot has a transaction of these bytes. */
  isSame(slot: number, packed: Uint8Array): boolean {
    const start = this.#packedAt[slot] ?? 0;
    return this.#messages[slot]?.compare(packed, 0, packed.length, start, start + this.lengthOf(slot)) === 0;
  }

  /** The transaction of that id, which the owner of the slots knows; undefined where there is none. */
  at(slot: number, id: TransactionId): VerifiedTransaction | undefined {
    const [message, signers] = [this.#messages[slot], this.#signers[slot]];
    if (message === undefined || signers === undefined) return undefined;
    const packed = this.#packed(message, slot);
    const [leafAt = 0, unsignedBytes = 0] = [this.#leafAt[slot], this.#unsignedBytes[slot]];
    return new PackedVerifiedTransaction({ id, signers, packed, unsignedBytes, message, leafAt });
  }

  /** Puts a transaction into a free slot. Its signers are kept as they are given: who has equal ones spares a list. */
  put(slot: number, transaction: VerifiedTransaction, signers: Signers): void {
    if (slot >= this.#leafAt.length) this.#grow();
    this.#signers[slot] = signers;
    this.#packedBytes[slot] = transaction.packed.length;
    this.#unsignedBytes[slot] = transaction.unsignedBytes;
    this.#enter(slot, findPlace(transaction));
  }

  remove(slot: number): void {
    this.#leave(slot);
    this.#messages[slot] = undefined;
    this.#signers[slot] = undefined;
  }

  /** Gives a transaction memory of its own when most of what came with it is gone, and lies there for its sake. */
  ownIfAlmostAlone(slot: number): void {
    const message = this.#messages[slot];
    if (message === undefined || (this.#keptOf.get(message) ?? 0) * SHARED_PART >= message.length) return;
    const leafAt = this.#leafAt[slot] ?? 0;
    const leaf = message.subarray(leafAt, leafAt + LEAF_BYTES);
    this.#leave(slot);
    this.#enter(slot, placeAlone(leaf, this.#packed(message, slot)));
  }

  #packed(message: Buffer, slot: number): Buffer {
    const start = this.#packedAt[slot] ?? 0;
    return message.subarray(start, start + this.lengthOf(slot));
  }

  #enter(slot: number, { message, leafAt, packedAt }: TransactionPlace): void {
    this.#messages[slot] = message;
    this.#leafAt[slot] = leafAt;
    this.#packedAt[slot] = packedAt;
    this.#keptOf.set(message, (this.#keptOf.get(message) ?? 0) + this.lengthOf(slot));
  }

  #leave(slot: number): void {
    const message = present(this.#messages[slot], 'a transaction');
    const bytes = (this.#keptOf.get(message) ?? 0) - this.lengthOf(slot);
    if (bytes > 0) this.#keptOf.set(message, bytes);
    else this.#keptOf.delete(message);
  }

  #grow(): void {
    const capacity = this.#leafAt.length * 2;
    this.#leafAt = enlarged(this.#leafAt, new Uint32Array(capacity));
    this.#packedAt = enlarged(this.#packedAt, new Uint32Array(capacity));
    this.#packedBytes = enlarged(this.#packedBytes, new Uint32Array(capacity));
    this.#unsignedBytes = enlarged(this.#unsignedBytes, new Uint32Array(capacity));
  }
}

/** Copies numbers into a larger array, which it returns. */
export function enlarged<Numbers extends Int32Array | Uint32Array | Float64Array>(
  numbers: Numbers,
  larger: Numbers,
): Numbers {
  larger.set(numbers);
  return larger;
}
