import { assert } from '../base/assert.ts';

/** Proven with others of long good reputation: a wrong signature among these is rare. */
export const TRUSTED = 0;
/** Proven with other newcomers. */
export const UNKNOWN = 1;
/** Recovered alone: has sent a bad signature lately. */
export const QUARANTINED = 2;

/** Whom an item is proven together with. */
export type Group = typeof TRUSTED | typeof UNKNOWN | typeof QUARANTINED;

/**
 * A wrong signature makes its batch fail, and finding it costs about as much as proving half of the batch again. So a sender
 * earns trust by this many right ones in a row: then no more than 1 of 1024 items can be wrong for long, which bench/crypto shows to cost
 * less than the batch itself.
 */
const TRUSTED_AFTER = 1024;

/** Right items in a row, recovered one by one, before a sender that spoilt a batch is a newcomer again. */
const QUARANTINED_FOR = 256;

/** Sources remembered; the one not heard of for the longest time is forgotten and would be a newcomer. 65 536 take about 4 MiB. */
const MAX_SENDERS = 65_536;

/**
 * What is known about who sends signatures. A sender is known by whatever a sender can't change at will (a connection or an address, by
 * number), and never the account that a transaction names: strangers could spoil the reputation of that.
 */
export class SenderReputation {
  readonly #maxSenders: number;
  /** Right items in a row; below 0, how many are missing before the sender is a newcomer again. Oldest first. */
  readonly #rightInARow = new Map<number, number>();

  constructor(maxSenders: number = MAX_SENDERS) {
    assert(Number.isSafeInteger(maxSenders) && maxSenders > 0, 'reputation remembers a positive number of senders');
    this.#maxSenders = maxSenders;
  }

  /** The group in which the next item of a sender is proven. */
  groupOf(senderId: number): Group {
    const right = this.#rightInARow.get(senderId) ?? 0;
    return right < 0 ? QUARANTINED : right < TRUSTED_AFTER ? UNKNOWN : TRUSTED;
  }

  /** Remembers whether an item of a sender was signed as expected. */
  note(senderId: number, wasRight: boolean): void {
    const right = this.#rightInARow.get(senderId) ?? 0;
    // Deleted first, so that the map's order is that of the last words.
    this.#rightInARow.delete(senderId);
    this.#rightInARow.set(senderId, wasRight ? Math.min(right + 1, TRUSTED_AFTER) : -QUARANTINED_FOR);
    if (this.#rightInARow.size <= this.#maxSenders) return;
    for (const oldest of this.#rightInARow.keys()) {
      this.#rightInARow.delete(oldest);
      return;
    }
  }
}
