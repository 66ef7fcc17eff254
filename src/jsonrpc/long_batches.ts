import type { Clock } from '../base/clock.ts';

/** Batches that wait for their next time slice, each with a body of the largest size: room enough for whoever means well. */
export const LONG_BATCHES = 64;

/**
 * Batches that take longer than one time slice. One comes behind the other, so that only one of them holds half an answer, and
 * between two slices whatever has come in meanwhile is looked at.
 */
export class LongBatches {
  readonly #clock: Clock;
  #last = Promise.resolve();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isFull(): boolean {
    return this.#count >= LONG_BATCHES;
  }

  /** Calls `slice` until it answers that it is done, then `ended`. What goes wrong is told to `failed`, once. */
  add(slice: () => 'more' | 'done', failed: (error: unknown) => void, ended: () => void): void {
    this.#count++;
    this.#last = this.#last
      .then(async () => {
        do await this.#others();
        while (slice() === 'more');
      })
      .catch(failed)
      .then(() => {
        this.#count--;
        ended();
      });
  }

  /** Resolves when what has come in meanwhile has been looked at. */
  #others(): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(0, resolve));
  }
}
