import { Bucket } from './bucket.ts';

/** Half of the thread is always left for what comes next. */
const MOST_MS_PER_SECOND = 500;
const DEEP_SECONDS = 0.5;
/** An hour of our own work must not be followed by half an hour without spare time. */
const MOST_DEBT_MS = 500;

/** What is left of half of the thread when all its work is taken off. */
export class SpareTime {
  readonly #bucket: Bucket;

  constructor(nowMs: number) {
    this.#bucket = new Bucket(MOST_MS_PER_SECOND, DEEP_SECONDS, nowMs);
  }

  /** The thread has worked so long, whoever caused it. */
  worked(ms: number, nowMs: number): void {
    if (this.#bucket.waitMs(0, nowMs) < MOST_DEBT_MS) this.#bucket.owe(ms, nowMs);
  }

  /** How long it is until there is some; 0 when there is. */
  waitMs(nowMs: number): number {
    return this.#bucket.waitMs(0, nowMs);
  }
}
