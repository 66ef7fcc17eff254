import { assert } from '../base/assert.ts';

/** Verified with other senders of long-standing good reputation, where a wrong signature is rare. */
export const TRUSTED = 0;
/** Verified with other newcomers. */
export const UNKNOWN = 1;
/** Recovered one by one: has sent a wrong signature lately. */
export const QUARANTINED = 2;

/** The group that an item is verified in. */
export type Group = typeof TRUSTED | typeof UNKNOWN | typeof QUARANTINED;

/**
 * A wrong signature makes its batch fail, and finding it costs about as much as verifying half of the batch again. So a
 * sender becomes trusted after this many right ones in a row: then at most 1 of 1024 items can be wrong in the long
 * run, which costs less than the batch itself (bench/crypto).
 */
const TRUSTED_AFTER = 1024;

/** Right items in a row, recovered one by one, before a sender of a wrong signature is a newcomer again. */
const QUARANTINED_FOR = 256;

/**
 * Maximum number of senders remembered; the least recently seen one is forgotten and becomes a newcomer. 65 536 take
 * about 4 MiB.
 */
const MAX_SENDERS = 65_536;

/**
 * The reputation of senders of signatures. A sender is identified by something it can't change at will (a connection or
 * an address, as a number), never by the account that a transaction names: others could damage that account's
 * reputation.
 */
export class SenderReputation {
  readonly #maxSenders: number;
  /**
   * Right items in a row; if negative, how many are missing before the sender is a newcomer again. Least recently seen
   * first.
   */
  readonly #rightInARow = new Map<number, number>();
  /** The sender at the end of the map: what comes together is mostly of one. */
  #last: number | undefined;

  constructor(maxSenders: number = MAX_SENDERS) {
    assert(Number.isSafeInteger(maxSenders) && maxSenders > 0, 'reputation remembers a positive number of senders');
    this.#maxSenders = maxSenders;
  }

  /** The group in which the next item of a sender is verified. */
  senderGroup(senderId: number): Group {
    const right = this.#rightInARow.get(senderId) ?? 0;
    return right < 0 ? QUARANTINED : right < TRUSTED_AFTER ? UNKNOWN : TRUSTED;
  }

  /** Remembers whether an item of a sender was signed as expected. */
  note(senderId: number, wasRight: boolean): void {
    const right = this.#rightInARow.get(senderId) ?? 0;
    // Deleted first, so that the map is ordered by the last update.
    if (senderId !== this.#last) this.#rightInARow.delete(senderId);
    this.#last = senderId;
    this.#rightInARow.set(senderId, wasRight ? Math.min(right + 1, TRUSTED_AFTER) : -QUARANTINED_FOR);
    if (this.#rightInARow.size <= this.#maxSenders) return;
    for (const oldest of this.#rightInARow.keys()) {
      this.#rightInARow.delete(oldest);
      return;
    }
  }
}
