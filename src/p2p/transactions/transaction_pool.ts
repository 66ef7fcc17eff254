import { present } from '../../base/assert.ts';
import { leafBytes } from '../../blocks/packed_verified_transaction.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { ID_BYTES, type TransactionId } from '../../values/hash.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';
import type { Seconds } from '../../values/time.ts';
import type { RandomSource } from '../environment/environment.ts';
import { IdTable, NO_SLOT, packIds, RecentIds } from './id_table.ts';
import { enlarged, PackedSlots } from './packed_slots.ts';
import { LEAF_WORDS, putLeafBytes, type ShortIdTable } from '../../wire/short_ids.ts';

/** The share of a payer's transactions in the pool, so that a flood of one leaves room for all others. */
const SHARES = 16;
/** The expiration stands behind ref_block_num and ref_block_prefix. */
const EXPIRATION_AT = 6;
const FIRST_CAPACITY = 1024;
/** A transaction that outlives most others of its bundle gets memory of its own. */
const YOUNG_MS = 60_000;
/** Three seconds of the highest rate: a bundle comes no later behind its block. */
const ELSEWHERE_REMEMBERED = 65_536;

/** The share of a payer in the pool. */
interface Payer {
  readonly key: PublicKey;
  /** The signers of what nobody else has signed. */
  readonly signers: VerifiedTransaction['signers'];
  /** Of transactions that are in no block. */
  bytes: number;
  /** In a block or not. */
  transactions: number;
}

/** In place of a block's number: no block of the main branch has it. */
const NO_BLOCK = 0;

/**
 * Transactions that our own chain has accepted, with all that was found out about them, until they are in an
 * irreversible block or have expired: so that a block that names them needs neither their bytes nor a proof. Those in a
 * block don't count, and go first.
 *
 * There can be hundreds of thousands of them. So what is known of one stands in arrays, under the slot of its id, and a
 * transaction is made of its bytes for who asks for it.
 */
export class TransactionPool {
  readonly #most: number;
  readonly #ids: IdTable;
  readonly #transactions = new PackedSlots();
  readonly #payers: (Payer | undefined)[] = [];
  #leaves = new Int32Array(FIRST_CAPACITY * LEAF_WORDS);
  #expirations = new Uint32Array(FIRST_CAPACITY);
  #sinceMs = new Float64Array(FIRST_CAPACITY);
  /** The block of the main branch that has it. */
  #blockOf = new Uint32Array(FIRST_CAPACITY);
  readonly #payerOf = new Map<PublicKey, Payer>();
  /** Blocks of the main branch that are not irreversible, oldest first, with the slots of what they have of ours. */
  readonly #blocks = new Map<number, readonly number[]>();
  readonly #elsewhere: RecentIds;
  #bytes = 0;
  #includedBytes = 0;

  constructor(mostBytes: number, randomSource: RandomSource) {
    this.#most = mostBytes;
    this.#ids = new IdTable(randomSource);
    this.#elsewhere = new RecentIds(ELSEWHERE_REMEMBERED, randomSource);
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
    return this.#ids.size;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#most;
  }

  /** Returns whether there is room for these bytes of a payer, within its share. */
  hasRoomFor(payer: PublicKey, bytes: number): boolean {
    return this.#isRoom(this.#payerOf.get(payer)?.bytes ?? 0, bytes);
  }

  /** The same for each; the key that signed first stands for who pays. */
  add(transaction: VerifiedTransaction, nowMs: number): boolean {
    return this.#add(transaction, packIds([transaction]), 0, nowMs);
  }

  /** Adds those for which there is room, with their ids, one behind the other. */
  addAll(transactions: readonly VerifiedTransaction[], ids: Uint8Array, nowMs: number): void {
    for (const [index, transaction] of transactions.entries()) this.#add(transaction, ids, index * ID_BYTES, nowMs);
  }

  /** The slot of a transaction by its id; `NO_SLOT` if it is not here. */
  find(ids: Uint8Array, at: number): number {
    return this.#ids.find(ids, at);
  }

  at(slot: number): VerifiedTransaction | undefined {
    const isHere = slot !== NO_SLOT && this.#transactions.has(slot);
    return isHere ? this.#transactions.at(slot, this.#ids.text(slot)) : undefined;
  }

  /** True if the slot has a transaction of these bytes. */
  isSame(slot: number, packed: Uint8Array): boolean {
    return slot !== NO_SLOT && this.#transactions.isSame(slot, packed);
  }

  /** The key that signed the transaction in that slot first; undefined where there is none. */
  signerOf(slot: number): PublicKey | undefined {
    return slot === NO_SLOT ? undefined : this.#transactions.signersOf(slot)?.[0];
  }

  has(id: TransactionId): boolean {
    return this.#ids.findText(id) !== NO_SLOT;
  }

  get(id: TransactionId): VerifiedTransaction | undefined {
    return this.at(this.#ids.findText(id));
  }

  /** The same transaction with the same signatures. */
  same({ id, leaf }: Pick<VerifiedTransaction, 'id' | 'leaf'>): VerifiedTransaction | undefined {
    const known = this.get(id);
    return known?.leaf === leaf ? known : undefined;
  }

  /** Returns whether a block of late has one of that id that has never been here. */
  wasInBlock(ids: Uint8Array, at: number): boolean {
    return this.#elsewhere.has(ids, at);
  }

  /** All slots are below. */
  get slots(): number {
    return this.#ids.slots;
  }

  /** Finds what a block's short ids mean of what is in no block; its matches are slots, for `at`. */
  match(table: ShortIdTable): void {
    table.look(this.#leaves, this.slots, this.#isInNoBlock);
  }

  /** The same of what is in a block, but not for good: no block that follows the head has it. */
  matchIncluded(table: ShortIdTable): void {
    table.look(this.#leaves, this.slots, this.#isInBlock);
  }

  readonly #isInNoBlock = (slot: number): boolean => this.#blockOf[slot] === NO_BLOCK && this.#transactions.has(slot);
  readonly #isInBlock = (slot: number): boolean => this.#blockOf[slot] !== NO_BLOCK && this.#transactions.has(slot);

  /**
   * If `packed` begins with the transaction of a slot, writes the words of its leaf and returns its length; undefined
   * otherwise.
   */
  copyLeaf(slot: number, packed: Uint8Array, words: Int32Array, at: number): number | undefined {
    const bytes = this.#transactions.lengthOf(slot);
    if (!this.isSame(slot, packed.subarray(0, bytes))) return undefined;
    const from = slot * LEAF_WORDS;
    for (let k = 0; k < LEAF_WORDS; k++) words[at + k] = this.#leaves[from + k] ?? 0;
    return bytes;
  }

  /** A block of the main branch has these, 20 bytes of id each. */
  applied(number: number, ids: Uint8Array): void {
    const slots: number[] = [];
    for (let at = 0; at < ids.length; at += ID_BYTES) {
      const slot = this.#ids.find(ids, at);
      if (slot === NO_SLOT) this.#elsewhere.add(ids, at);
      if (slot === NO_SLOT || this.#blockOf[slot] !== NO_BLOCK) continue;
      this.#includedBytes += this.#count(slot, -1);
      this.#blockOf[slot] = number;
      slots.push(slot);
    }
    this.#blocks.set(number, slots);
    for (const oldest of this.#blocks.keys()) {
      if (this.#includedBytes <= this.#most) return;
      this.#forgetBlock(oldest);
    }
  }

  /** A block has left the main branch: what it had waits again. */
  undone(number: number): void {
    for (const slot of this.#blocks.get(number) ?? []) {
      this.#blockOf[slot] = NO_BLOCK;
      this.#includedBytes -= this.#count(slot, 1);
    }
    this.#blocks.delete(number);
  }

  /** Forgets what no block will have any more: it has expired, or is in an irreversible one. */
  tidy(headTime: Seconds, irreversible: number, nowMs: number): void {
    for (const number of this.#blocks.keys()) if (number <= irreversible) this.#forgetBlock(number);
    for (let slot = 0; slot < this.slots; slot++) {
      if (!this.#transactions.has(slot)) continue;
      if (this.#blockOf[slot] === NO_BLOCK && (this.#expirations[slot] ?? 0) < headTime) this.#forget(slot);
      else if (nowMs - (this.#sinceMs[slot] ?? 0) > YOUNG_MS) this.#transactions.ownIfAlmostAlone(slot);
    }
  }

  #isRoom(bytesOfPayer: number, bytes: number): boolean {
    return bytesOfPayer + bytes <= this.#most / SHARES && this.#bytes + bytes <= this.#most;
  }

  #add(transaction: VerifiedTransaction, ids: Uint8Array, at: number, nowMs: number): boolean {
    if (this.#ids.find(ids, at) !== NO_SLOT) return true;
    const { packed, signers } = transaction;
    const key = signers[0] ?? NULL_KEY;
    const payer = this.#payerOf.get(key) ?? { key, signers: [signers[0]], bytes: 0, transactions: 0 };
    if (!this.#isRoom(payer.bytes, packed.length)) return false;
    if (payer.transactions++ === 0) this.#payerOf.set(key, payer);
    const slot = this.#ids.add(ids, at);
    if (slot >= this.#blockOf.length) this.#grow();
    this.#transactions.put(slot, transaction, signers.length === 1 ? payer.signers : signers);
    this.#payers[slot] = payer;
    putLeafBytes(this.#leaves, slot * LEAF_WORDS, leafBytes(transaction));
    this.#expirations[slot] = readExpiration(packed);
    this.#sinceMs[slot] = nowMs;
    this.#blockOf[slot] = NO_BLOCK;
    this.#count(slot, 1);
    return true;
  }

  #forgetBlock(number: number): void {
    for (const slot of this.#blocks.get(number) ?? []) this.#forget(slot);
    this.#blocks.delete(number);
  }

  #forget(slot: number): void {
    const payer = present(this.#payers[slot], 'its payer');
    if (this.#blockOf[slot] === NO_BLOCK) this.#count(slot, -1);
    else this.#includedBytes -= this.#transactions.lengthOf(slot);
    payer.transactions--;
    if (payer.transactions === 0) this.#payerOf.delete(payer.key);
    this.#ids.remove(slot);
    this.#transactions.remove(slot);
    this.#payers[slot] = undefined;
  }

  /** Counts the bytes of one that is in no block, or no longer, and returns them. */
  #count(slot: number, sign: 1 | -1): number {
    const length = this.#transactions.lengthOf(slot);
    this.#bytes += sign * length;
    present(this.#payers[slot], 'its payer').bytes += sign * length;
    return length;
  }

  #grow(): void {
    const capacity = this.#blockOf.length * 2;
    this.#leaves = enlarged(this.#leaves, new Int32Array(capacity * LEAF_WORDS));
    this.#expirations = enlarged(this.#expirations, new Uint32Array(capacity));
    this.#sinceMs = enlarged(this.#sinceMs, new Float64Array(capacity));
    this.#blockOf = enlarged(this.#blockOf, new Uint32Array(capacity));
  }
}

function readExpiration({ buffer, byteOffset }: Uint8Array): Seconds {
  return new DataView(buffer, byteOffset).getUint32(EXPIRATION_AT, true);
}
