import type { Clock } from '../base/clock.ts';

/** A batch of this size is efficient enough to leave without waiting for more. */
const COMPANY = 64;
/** The longest that a broadcast waits for others. */
const GATHER_MS = 10;
/** This long after the last batch, no callers are expected to return. */
const MEMORY_MS = 100;
/** One batch in 64 waits its full time, to see how many callers there are. */
const PROBE_EVERY = 64;
/** The first one that does, so that a load is known soon. */
const FIRST_PROBE = 8;

/**
 * Decides when a small batch should leave. Apart from its signatures, a batch costs about 200 µs over all threads, most
 * of it for waking them. Callers that wait for their answers send again once they have them, so about as many
 * broadcasts are expected as were in progress when the last batch left; where callers take longer than the node, as
 * many as came while a batch waited its full time, during which nobody can come twice. A batch leaves when most of them
 * have arrived, or when it has waited long enough, after which fewer are expected. A single caller, who sends when
 * nothing else is in progress, doesn't wait.
 */
export class Gathering {
  readonly #clock: Clock;
  /** The number of undecided broadcasts of each batch, by batch number. */
  readonly #undecided = new Map<number, number>();
  #underWay = 0;
  #expected = 1;
  /** As many as came in the full time of a batch. */
  #companions = 1;
  /** True if a broadcast of this batch came while others were in progress. */
  #hasCompany = false;
  #batchesUntilProbe = FIRST_PROBE;
  #beganMs = 0;
  #leftMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of broadcasts that are expected to come together. */
  get expected(): number {
    return this.#expected;
  }

  /** `count` broadcasts have arrived, and the waiting batch has `length` of them now. */
  arrive(length: number, count = 1): void {
    if (length === count) this.#beganMs = this.#clock.nowMs();
    this.#hasCompany = length > 1 || this.#underWay > 0;
  }

  /** A batch has left. */
  leave(number: number, length: number): void {
    this.#undecided.set(number, length);
    this.#underWay += length;
    this.#leftMs = this.#clock.nowMs();
    if (this.#leftMs - this.#beganMs >= GATHER_MS) this.#companions = length;
    if (this.#hasCompany)
      this.#batchesUntilProbe = this.#batchesUntilProbe === 0 ? PROBE_EVERY : this.#batchesUntilProbe - 1;
    this.#expected = Math.min(Math.max(this.#underWay, this.#companions), COMPANY);
  }

  /** `count` broadcasts of a batch have a verdict or are refused. */
  decide(number: number, count = 1): void {
    const left = this.#undecided.get(number);
    if (left === undefined) return;
    this.#underWay -= Math.min(count, left);
    if (left > count) this.#undecided.set(number, left - count);
    else this.#undecided.delete(number);
  }

  /** No more decisions will come for a batch. */
  forget(number: number): void {
    this.#underWay -= this.#undecided.get(number) ?? 0;
    this.#undecided.delete(number);
  }

  /** Time until a batch of this length should leave; 0 or less means now. */
  msLeft(length: number): number {
    const nowMs = this.#clock.nowMs();
    const isProbe = this.#hasCompany && this.#batchesUntilProbe === 0 && length < COMPANY;
    const isEnough = !isProbe && length * 4 >= this.#expected * 3;
    return isEnough || nowMs - this.#leftMs > MEMORY_MS ? 0 : this.#beganMs + GATHER_MS - nowMs;
  }
}
