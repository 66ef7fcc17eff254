import { Bucket } from './bucket.ts';

/** Half of the thread is always left for what comes next. */
const MOST_MS_PER_SECOND = 500;
const DEEP_SECONDS = 0.5;
/** An hour of our own work must not be followed by half an hour without spare time. */
const MOST_DEBT_MS = 500;

/** Counts what is left of half of the thread's time after all its work. */
export class SpareTime {
  readonly #bucket: Bucket;
  #givenMs = 0;

  constructor(nowMs: number) {
    this.#bucket = new Bucket(MOST_MS_PER_SECOND, DEEP_SECONDS, nowMs);
  }

  /** The thread has worked for any peer. */
  worked(ms: number, nowMs: number): void {
    if (this.#bucket.waitMs(0, nowMs) < MOST_DEBT_MS) this.#bucket.owe(ms, nowMs);
  }

  /** Spends spare time on a peer that pays nothing. */
  give(ms: number): void {
    this.#givenMs += ms;
  }

  /** All that was given so far. */
  get givenMs(): number {
    return this.#givenMs;
  }

  /** Milliseconds until there is spare time; 0 when there is. */
  waitMs(nowMs: number): number {
    return this.#bucket.waitMs(0, nowMs);
  }
}
