import { assert } from '../base/assert.ts';

/** Proven with others of long good standing: a wrong signature among these is rare. */
export const TRUSTED = 0;
/** Proven with other newcomers. */
export const UNKNOWN = 1;
/** Recovered alone: has spoilt a batch lately. */
export const APART = 2;

/** Whom an item is proven together with. */
export type Group = typeof TRUSTED | typeof UNKNOWN | typeof APART;

/**
 * A wrong signature makes its batch fail, and finding it costs about as much as proving half of the batch again. So a source
 * earns trust by this many right ones in a row: then no more than 1 of 1024 items can be wrong for long, which bench/crypto shows to cost
 * less than the batch itself.
 */
const TRUSTED_AFTER = 1024;

/** Right items in a row, recovered one by one, before a source that spoilt a batch is a newcomer again. */
const APART_FOR = 256;

/** Sources remembered; the one not heard of for the longest time is forgotten and would be a newcomer. 65 536 take about 4 MiB. */
const MAX_SOURCES = 65_536;

/**
 * What is known about who sends signatures. A source is whatever a sender can't change at will (a connection or an address, by
 * number), and never the account that a transaction names: strangers could spoil the standing of that.
 */
export class Standing {
  readonly #maxSources: number;
  /** Right items in a row; below 0, how many are missing before the source is a newcomer again. Oldest first. */
  readonly #rightInARow = new Map<number, number>();

  constructor(maxSources: number = MAX_SOURCES) {
    assert(Number.isSafeInteger(maxSources) && maxSources > 0, 'standing remembers a positive number of sources');
    this.#maxSources = maxSources;
  }

  /** The group in which the next item of a source is proven. */
  groupOf(source: number): Group {
    const right = this.#rightInARow.get(source) ?? 0;
    return right < 0 ? APART : right < TRUSTED_AFTER ? UNKNOWN : TRUSTED;
  }

  /** Remembers whether an item of a source was signed as expected. */
  note(source: number, wasRight: boolean): void {
    const right = this.#rightInARow.get(source) ?? 0;
    // Deleted first, so that the map's order is that of the last words.
    this.#rightInARow.delete(source);
    this.#rightInARow.set(source, wasRight ? Math.min(right + 1, TRUSTED_AFTER) : -APART_FOR);
    if (this.#rightInARow.size <= this.#maxSources) return;
    for (const oldest of this.#rightInARow.keys()) {
      this.#rightInARow.delete(oldest);
      return;
    }
  }
}
