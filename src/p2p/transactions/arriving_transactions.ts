import type { Clock } from '../../base/clock.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import { ID_BYTES, type Digest, type TransactionId } from '../../values/hash.ts';
import { LEAF_WORDS, putLeafWords, type ShortIdTable } from '../../wire/short_ids.ts';
import type { RandomSource } from '../environment/environment.ts';
import { IdTable, NO_SLOT, packIds } from './id_table.ts';

/** A transaction of a peer whose signers are not known yet: no verifier has read it. */
export interface FreshTransaction {
  readonly id: TransactionId;
  readonly packed: Uint8Array;
  readonly leaf: Digest;
  readonly signers?: undefined;
}

/** A block waits no longer for the verdict on what it names: then verifiers are busy, and would not come to it soon. */
const LONGEST_WAIT_MS = 50;

/**
 * Transactions of peers that are with our own chain: a block may name them before it has said what it makes of them.
 */
export class ArrivingTransactions {
  readonly #clock: Clock;
  readonly #ids: IdTable;
  /** By slot. A leaf is computed when a block comes meanwhile, which is seldom. */
  readonly #packed: (Uint8Array | undefined)[] = [];
  readonly #leaves: (Digest | undefined)[] = [];
  readonly #waiting = new Set<Waiting>();

  constructor(clock: Clock, randomSource: RandomSource) {
    this.#clock = clock;
    this.#ids = new IdTable(randomSource);
  }

  has(ids: Uint8Array, at: number): boolean {
    return this.#ids.find(ids, at) !== NO_SLOT;
  }

  /** Adds transactions with their ids, one behind the other. */
  add(ids: Uint8Array, transactions: readonly { readonly packed: Uint8Array }[]): void {
    for (let index = 0; index < transactions.length; index++) {
      const slot = this.#ids.put(ids, index * ID_BYTES);
      this.#packed[slot] = transactions[index]?.packed;
      this.#leaves[slot] = undefined;
    }
  }

  /** The chain has said what it makes of them. */
  decided(ids: Uint8Array): void {
    for (let at = 0; at < ids.length; at += ID_BYTES) {
      const slot = this.#ids.find(ids, at);
      if (slot === NO_SLOT) continue;
      this.#ids.remove(slot);
      this.#packed[slot] = undefined;
      for (const { slots } of this.#waiting) slots.delete(slot);
    }
    // News of accepted transactions takes another way, and is here when all received bytes are read.
    for (const waiting of this.#waiting) if (waiting.slots.size === 0) this.#resume(waiting, 0);
  }

  /**
   * Matches a block's short ids with transactions that are known from nowhere else. Matches are indexes of the result,
   * behind `from`.
   */
  match(table: ShortIdTable, from: number, isKnown: (id: TransactionId) => boolean): readonly FreshTransaction[] {
    // By its leaf: a wrong length of the unsigned form would make two transactions of one.
    const byLeaf = new Map<Digest, FreshTransaction>();
    for (const [slot, packed] of this.#packed.entries()) {
      if (packed === undefined) continue;
      const id = this.#ids.text(slot);
      if (isKnown(id)) continue;
      const leaf = this.#leaf(slot, packed);
      byLeaf.set(leaf, { id, packed, leaf });
    }
    const some = [...byLeaf.values()];
    const words = new Int32Array(some.length * LEAF_WORDS);
    for (const [index, { leaf }] of some.entries()) putLeafWords(words, index * LEAF_WORDS, leaf);
    table.look(words, some.length, () => true, from);
    return some;
  }

  /** Goes on at once when none of these is here, else when all are decided, or take too long. False when it waits. */
  whenDecided(some: readonly FreshTransaction[], goOn: () => void): boolean {
    const ids = packIds(some);
    const slots = new Set<number>();
    for (const [index, { leaf }] of some.entries()) {
      const slot = this.#ids.find(ids, index * ID_BYTES);
      const packed = slot === NO_SLOT ? undefined : this.#packed[slot];
      if (packed !== undefined && this.#leaf(slot, packed) === leaf) slots.add(slot);
    }
    if (slots.size === 0) {
      goOn();
      return true;
    }
    const waiting: Waiting = { slots, goOn, cancel: () => undefined };
    this.#waiting.add(waiting);
    waiting.cancel = this.#clock.after(LONGEST_WAIT_MS, () => this.#resume(waiting, undefined));
    return false;
  }

  #leaf(slot: number, packed: Uint8Array): Digest {
    return (this.#leaves[slot] ??= sha256Hex(packed));
  }

  #resume(waiting: Waiting, afterMs: number | undefined): void {
    this.#waiting.delete(waiting);
    waiting.cancel();
    if (afterMs === undefined) waiting.goOn();
    else this.#clock.after(afterMs, waiting.goOn);
  }
}

interface Waiting {
  /** Of those that are not decided. */
  readonly slots: Set<number>;
  readonly goOn: () => void;
  cancel: () => void;
}
