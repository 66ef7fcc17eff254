import { PackedVerifiedTransaction } from '../../blocks/packed_verified_transaction.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import type { TransactionId } from '../../values/hash.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';
import type { Seconds } from '../../values/time.ts';
import { RememberedIds } from '../peers/remembered_ids.ts';
import { LEAF_WORDS, putLeafWords, type ShortIdTable } from '../../wire/short_ids.ts';

/** The share of a payer's transactions in the pool, so that a flood of one leaves room for all others. */
const SHARES = 16;
const ID_BYTES = 20;
/** The expiration stands behind ref_block_num and ref_block_prefix. */
const EXPIRATION_AT = 6;
const FIRST_CAPACITY = 1024;
/** A transaction that outlives most others of its bundle gets memory of its own. */
const YOUNG_MS = 60_000;
const SHARED_PART = 4;
const LEAF_BYTES = 32;
/** Three seconds of the highest rate: a bundle comes no later behind its block. */
const ELSEWHERE_REMEMBERED = 65_536;

interface Entry {
  /** The slot in which its leaf is compared; undefined while it is in a block. */
  slot: number | undefined;
  transaction: VerifiedTransaction;
  readonly payer: PublicKey;
  readonly expiration: Seconds;
  readonly sinceMs: number;
  ownsBytes: boolean;
  /** The block of the main branch that has it. */
  block: number | undefined;
}

/**
 * Transactions that our own chain has accepted, with all that was found out about them, until they are in an
 * irreversible block or have expired: so that a block that names them needs neither their bytes nor a proof. Those in a
 * block don't count, and go first.
 */
export class TransactionPool {
  readonly #most: number;
  readonly #entries = new Map<TransactionId, Entry>();
  readonly #bytesOf = new Map<PublicKey, number>();
  /** By slot, so that all leaves are looked at one behind the other. */
  #words = new Int32Array(FIRST_CAPACITY * LEAF_WORDS);
  readonly #bySlot: (Entry | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  /** Of each piece of memory how much of it is still here. */
  readonly #keptOf = new Map<ArrayBufferLike, number>();
  /** Blocks of the main branch that are not irreversible, oldest first, with what they have of ours. */
  readonly #blocks = new Map<number, Entry[]>();
  readonly #elsewhere = new RememberedIds(ELSEWHERE_REMEMBERED);
  #bytes = 0;
  #includedBytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  /** Bytes of transactions that are in no block. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of those that are in one, but not for good. */
  get includedBytes(): number {
    return this.#includedBytes;
  }

  get count(): number {
    return this.#entries.size;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#most;
  }

  /** Returns whether there is room for these bytes of a payer, within its share. */
  hasRoomFor(payer: PublicKey, bytes: number): boolean {
    return (this.#bytesOf.get(payer) ?? 0) + bytes <= this.#most / SHARES && this.#bytes + bytes <= this.#most;
  }

  /**
   * False when there is no room for it, or its payer has had a share. The key that signed first stands for who pays.
   */
  add(transaction: VerifiedTransaction, nowMs: number): boolean {
    const { id, packed, signers } = transaction;
    if (this.#entries.has(id)) return true;
    const payer = signers[0] ?? NULL_KEY;
    if (!this.hasRoomFor(payer, packed.length)) return false;
    const expiration = Buffer.from(packed.buffer, packed.byteOffset, packed.length).readUInt32LE(EXPIRATION_AT);
    const entry: Entry = {
      slot: undefined,
      transaction,
      payer,
      expiration,
      sinceMs: nowMs,
      ownsBytes: false,
      block: undefined,
    };
    this.#place(entry);
    this.#hold(entry, 1);
    this.#entries.set(id, entry);
    this.#count(entry, 1);
    return true;
  }

  get(id: TransactionId): VerifiedTransaction | undefined {
    return this.#entries.get(id)?.transaction;
  }

  /** The same transaction with the same signatures. */
  same({ id, leaf }: Pick<VerifiedTransaction, 'id' | 'leaf'>): VerifiedTransaction | undefined {
    const known = this.get(id);
    return known?.leaf === leaf ? known : undefined;
  }

  /** Returns whether a block of late has one of that id that has never been here. */
  wasInBlock(id: TransactionId): boolean {
    return this.#elsewhere.has(id);
  }

  /** All slots are below. */
  get slots(): number {
    return this.#bySlot.length;
  }

  /** Those that are in a block, but not for good: no block that follows the head has them. */
  get included(): VerifiedTransaction[] {
    return [...this.#blocks.values()].flatMap((entries) => entries.map(({ transaction }) => transaction));
  }

  /** Finds what a block's short ids mean of what is in no block; its matches are slots, for `at`. */
  match(table: ShortIdTable): void {
    table.look(this.#words, this.#bySlot.length, (slot) => this.#bySlot[slot] !== undefined);
  }

  at(slot: number): VerifiedTransaction | undefined {
    return this.#bySlot[slot]?.transaction;
  }

  /** The transaction of that place in a list of ids, 20 bytes each. */
  oneOf(ids: Uint8Array, index: number): VerifiedTransaction | undefined {
    return splitIds(ids.subarray(index * ID_BYTES, (index + 1) * ID_BYTES)).map((id) => this.get(id))[0];
  }

  /** A block of the main branch has these, 20 bytes of id each. */
  applied(number: number, ids: Uint8Array): void {
    const entries: Entry[] = [];
    for (const id of splitIds(ids)) {
      const entry = this.#entries.get(id);
      if (entry === undefined) this.#elsewhere.add(id);
      if (entry === undefined || entry.block !== undefined) continue;
      this.#count(entry, -1);
      this.#includedBytes += entry.transaction.packed.length;
      entry.block = number;
      this.#displace(entry);
      entries.push(entry);
    }
    this.#blocks.set(number, entries);
    for (const oldest of this.#blocks.keys()) {
      if (this.#includedBytes <= this.#most) return;
      this.#forgetBlock(oldest);
    }
  }

  /** A block has left the main branch: what it had waits again. */
  undone(number: number): void {
    for (const entry of this.#blocks.get(number) ?? []) {
      entry.block = undefined;
      this.#place(entry);
      this.#includedBytes -= entry.transaction.packed.length;
      this.#count(entry, 1);
    }
    this.#blocks.delete(number);
  }

  /** Forgets what no block will have any more: it has expired, or is in an irreversible one. */
  tidy(headTime: Seconds, irreversible: number, nowMs: number): void {
    for (const number of this.#blocks.keys()) if (number <= irreversible) this.#forgetBlock(number);
    for (const entry of this.#entries.values()) {
      if (entry.block === undefined && entry.expiration < headTime) this.#forget(entry);
      else if (!entry.ownsBytes && nowMs - entry.sinceMs > YOUNG_MS && this.#isAlmostAlone(entry)) this.#own(entry);
    }
  }

  #forgetBlock(number: number): void {
    for (const entry of this.#blocks.get(number) ?? []) this.#forget(entry);
    this.#blocks.delete(number);
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.transaction.id);
    this.#displace(entry);
    if (!entry.ownsBytes) this.#hold(entry, -1);
    if (entry.block === undefined) this.#count(entry, -1);
    else this.#includedBytes -= entry.transaction.packed.length;
  }

  #count({ payer, transaction: { packed } }: Entry, sign: 1 | -1): void {
    const bytes = (this.#bytesOf.get(payer) ?? 0) + sign * packed.length;
    this.#bytes += sign * packed.length;
    if (bytes > 0) this.#bytesOf.set(payer, bytes);
    else this.#bytesOf.delete(payer);
  }

  #place(entry: Entry): void {
    const slot = this.#freeSlots.pop() ?? this.#bySlot.length;
    this.#reserve(slot);
    putLeafWords(this.#words, slot * LEAF_WORDS, entry.transaction.leaf);
    this.#bySlot[slot] = entry;
    entry.slot = slot;
  }

  #displace(entry: Entry): void {
    if (entry.slot === undefined) return;
    this.#bySlot[entry.slot] = undefined;
    this.#freeSlots.push(entry.slot);
    entry.slot = undefined;
  }

  #hold({ transaction: { packed } }: Entry, sign: 1 | -1): void {
    const bytes = (this.#keptOf.get(packed.buffer) ?? 0) + sign * packed.length;
    if (bytes > 0) this.#keptOf.set(packed.buffer, bytes);
    else this.#keptOf.delete(packed.buffer);
  }

  /** Most of what came with it is gone, and lies in memory for its sake. */
  #isAlmostAlone({ transaction: { packed } }: Entry): boolean {
    return (this.#keptOf.get(packed.buffer) ?? 0) * SHARED_PART < packed.buffer.byteLength;
  }

  #own(entry: Entry): void {
    this.#hold(entry, -1);
    const { id, packed, leaf, unsignedBytes, signers } = entry.transaction;
    const message = Buffer.concat([Buffer.from(leaf, 'hex'), packed]);
    const own = { id: Buffer.from(id, 'hex').toString('hex'), signers, unsignedBytes, message, leafAt: 0 };
    entry.transaction = new PackedVerifiedTransaction({ ...own, packed: message.subarray(LEAF_BYTES) });
    entry.ownsBytes = true;
    // The key of the map held what the id was cut from.
    this.#entries.delete(id);
    this.#entries.set(own.id, entry);
  }

  #reserve(slot: number): void {
    if ((slot + 1) * LEAF_WORDS <= this.#words.length) return;
    const words = new Int32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
  }
}

function splitIds(bytes: Uint8Array): TransactionId[] {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  const digits = 2 * ID_BYTES;
  return Array.from({ length: hex.length / digits }, (_, index) => hex.slice(index * digits, (index + 1) * digits));
}
