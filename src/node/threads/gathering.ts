import type { Clock } from '../../base/clock.ts';

/** A batch of this size is efficient enough to leave without waiting for more. */
const COMPANY = 64;
/** The longest that a broadcast waits for others. */
const GATHER_MS = 5;
/** This long after the last batch, no callers are expected to return. */
const MEMORY_MS = 100;

/**
 * Decides when a small batch should leave. Apart from its signatures, a batch costs about 200 µs over all threads, most of it for waking
 * them. Callers that wait for their answers send again once they have them, so about as many broadcasts are expected as were in progress
 * when the last batch left. A batch leaves when most of them have arrived, or when it has waited long enough, after which fewer are
 * expected. A single broadcast with no others in progress doesn't wait.
 */
export class Gathering {
  readonly #clock: Clock;
  /** The number of undecided broadcasts of each batch, by batch number. */
  readonly #undecided = new Map<number, number>();
  #underWay = 0;
  #expected = 1;
  #beganMs = 0;
  #leftMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The first broadcast of a batch has arrived. */
  begin(): void {
    this.#beganMs = this.#clock.nowMs();
  }

  /** A batch has left. */
  leave(number: number, length: number): void {
    this.#undecided.set(number, length);
    this.#underWay += length;
    this.#expected = Math.min(this.#underWay, COMPANY);
    this.#leftMs = this.#clock.nowMs();
  }

  /** One more broadcast of a batch has a verdict or is refused. */
  decide(number: number): void {
    const left = this.#undecided.get(number);
    if (left === undefined) return;
    this.#underWay--;
    if (left > 1) this.#undecided.set(number, left - 1);
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
    const isEnough = length * 4 >= this.#expected * 3 || nowMs - this.#leftMs > MEMORY_MS;
    return isEnough ? 0 : this.#beganMs + GATHER_MS - nowMs;
  }
}
