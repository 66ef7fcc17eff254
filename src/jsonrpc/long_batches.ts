import type { Clock } from '../base/clock.ts';

/** Batches waiting for their next time slice, each with a body of the largest size: room enough for all well-meant use. */
export const LONG_BATCHES = 64;

/**
 * Batches that take longer than one time slice. They run one after another, so that only one of them holds half a response, and input that
 * has arrived meanwhile is processed between two slices.
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

  /** Calls `slice` until it returns `done`, then `ended`. An error is passed to `failed`, once. */
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

  /** Resolves when input that has arrived meanwhile has been processed. */
  #others(): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(0, resolve));
  }
}
