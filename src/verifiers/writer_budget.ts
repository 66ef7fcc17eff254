import type { Clock } from '../base/clock.ts';

/** A larger batch is cheaper in a verifier, which shares work between its signatures. */
export const DIRECT_ITEMS = 2;
/** The dearest that fits, a packed transaction with 28 signatures, takes 3 ms; a transfer takes 0.2 ms. */
const DIRECT_BYTES = 2048;
/** Several times that, so that the writer is done with its batch when a slot begins. */
const BEFORE_SLOT_MS = 20;
/** The share of a slot in which the writer verifies: what follows goes to verifiers, so that blocks find it free. */
const SHARE = 0.5;
/** The share for batches with a refused broadcast, which are useless work: of 3 s, 15 ms or 50 wrong signatures. */
const REFUSED_SHARE = 0.005;
/** The same for one sender, so that the others keep theirs. */
const REFUSED_SHARE_OF_SENDER = REFUSED_SHARE / 4;

/** A batch, as far as the budget looks at it. */
interface BudgetedBatch {
  readonly bytes: Uint8Array;
  /** Of its broadcasts, in order. */
  readonly senderIds: readonly number[];
}

/**
 * The time that the writer spends on verifying broadcasts itself. It is for few broadcasts that are accepted: in each
 * slot refusals use up a small share, by the time that they took. Senders beyond their share are not refused; verifiers
 * take their broadcasts. Slots are those of the clock: where blocks are made at other times, a block waits for one
 * batch.
 */
export class WriterBudget {
  readonly #clock: Clock;
  readonly #slotMs: number;
  #slot = 0;
  #usedMs = 0;
  #refusedMs = 0;
  readonly #refusedMsOf = new Map<number, number>();

  /** `slotMs` is the block interval. */
  constructor(clock: Clock, slotMs: number) {
    this.#clock = clock;
    this.#slotMs = slotMs;
  }

  /** True in the first half of a slot, when longer work is done before the next one. */
  get isSlotFar(): boolean {
    return this.#msToSlot() >= this.#slotMs / 2;
  }

  /** Returns whether the writer may verify this batch now. */
  allows({ bytes, senderIds }: BudgetedBatch): boolean {
    if (senderIds.length > DIRECT_ITEMS || bytes.length > DIRECT_BYTES) return false;
    this.#enterSlot();
    return (
      this.#msToSlot() > BEFORE_SLOT_MS &&
      this.#usedMs < this.#slotMs * SHARE &&
      this.#refusedMs < this.#slotMs * REFUSED_SHARE &&
      senderIds.every((id) => (this.#refusedMsOf.get(id) ?? 0) < this.#slotMs * REFUSED_SHARE_OF_SENDER)
    );
  }

  /** The writer has verified a batch for that long; broadcasts of these senders were refused. */
  charge(ms: number, refusedSenderIds: readonly number[]): void {
    this.#enterSlot();
    this.#usedMs += ms;
    if (refusedSenderIds.length > 0) this.#refusedMs += ms;
    for (const id of new Set(refusedSenderIds)) this.#refusedMsOf.set(id, (this.#refusedMsOf.get(id) ?? 0) + ms);
  }

  #msToSlot(): number {
    return this.#slotMs - (this.#clock.nowMs() % this.#slotMs);
  }

  #enterSlot(): void {
    const slot = Math.floor(this.#clock.nowMs() / this.#slotMs);
    if (slot === this.#slot) return;
    this.#slot = slot;
    this.#usedMs = 0;
    this.#refusedMs = 0;
    this.#refusedMsOf.clear();
  }
}
