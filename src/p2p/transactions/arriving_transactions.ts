import type { Clock } from '../../base/clock.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import type { Digest, TransactionId } from '../../values/hash.ts';
import { LEAF_WORDS, putLeafWords, type ShortIdTable } from '../../wire/short_ids.ts';

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
  readonly #entries = new Map<TransactionId, Arriving>();
  readonly #waiting = new Set<Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(id: TransactionId): boolean {
    return this.#entries.has(id);
  }

  add(id: TransactionId, packed: Uint8Array): void {
    this.#entries.set(id, new Arriving(id, packed));
  }

  /** The chain has said what it makes of them. */
  decided(ids: readonly TransactionId[]): void {
    for (const id of ids) this.#entries.delete(id);
    for (const waiting of this.#waiting) {
      for (const id of ids) waiting.ids.delete(id);
      // News of accepted transactions takes another way, and is here when all received bytes are read.
      if (waiting.ids.size === 0) this.#resume(waiting, 0);
    }
  }

  /**
   * Matches a block's short ids with transactions that are known from nowhere else. Matches are indexes of the result,
   * behind `from`.
   */
  match(table: ShortIdTable, from: number, isKnown: (id: TransactionId) => boolean): readonly FreshTransaction[] {
    // By its leaf: a wrong length of the unsigned form would make two transactions of one.
    const byLeaf = new Map<Digest, FreshTransaction>();
    for (const one of this.#entries.values()) if (!isKnown(one.id)) byLeaf.set(one.leaf, one);
    const some = [...byLeaf.values()];
    const words = new Int32Array(some.length * LEAF_WORDS);
    for (const [index, { leaf }] of some.entries()) putLeafWords(words, index * LEAF_WORDS, leaf);
    table.look(words, some.length, () => true, from);
    return some;
  }

  /** Goes on at once when none of these is here, else when all are decided, or take too long. False when it waits. */
  whenDecided(some: readonly FreshTransaction[], goOn: () => void): boolean {
    const ids = new Set(some.flatMap(({ id, leaf }) => (this.#entries.get(id)?.leaf === leaf ? [id] : [])));
    if (ids.size === 0) {
      goOn();
      return true;
    }
    const waiting: Waiting = { ids, goOn, cancel: () => undefined };
    this.#waiting.add(waiting);
    waiting.cancel = this.#clock.after(LONGEST_WAIT_MS, () => this.#resume(waiting, undefined));
    return false;
  }

  #resume(waiting: Waiting, afterMs: number | undefined): void {
    this.#waiting.delete(waiting);
    waiting.cancel();
    if (afterMs === undefined) waiting.goOn();
    else this.#clock.after(afterMs, waiting.goOn);
  }
}

interface Waiting {
  readonly ids: Set<TransactionId>;
  readonly goOn: () => void;
  cancel: () => void;
}

/** Its leaf is asked for when a block comes meanwhile, which is seldom. */
class Arriving implements FreshTransaction {
  readonly id: TransactionId;
  readonly packed: Uint8Array;
  readonly signers = undefined;
  #leaf: Digest | undefined;

  constructor(id: TransactionId, packed: Uint8Array) {
    this.id = id;
    this.packed = packed;
  }

  get leaf(): Digest {
    return (this.#leaf ??= sha256Hex(this.packed));
  }
}
