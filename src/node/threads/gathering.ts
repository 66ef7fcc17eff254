import type { Clock } from '../../base/clock.ts';

/** What is worth a proof together needs no more company. */
const COMPANY = 64;
/** Nobody waits longer for company. */
const GATHER_MS = 5;
/** So long after the last batch nobody is expected to come back. */
const MEMORY_MS = 100;

/**
 * When a small batch should leave. A batch costs some 200 µs on all threads besides its signatures, most of it for waking them. People who
 * wait for their answers come back when they have them: so about as many are expected as were under way when the last batch left. A
 * batch leaves when most of them are there, or when it has waited long enough, and then fewer are expected. A lonely one expects nobody.
 */
export class Gathering {
  readonly #clock: Clock;
  /** How many broadcasts of each batch are not decided, by its number. */
  readonly #undecided = new Map<number, number>();
  #underWay = 0;
  #expected = 1;
  #beganMs = 0;
  #leftMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The first one of a batch has come. */
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

  /** One more of a batch has a verdict or is refused. */
  decide(number: number): void {
    const left = this.#undecided.get(number);
    if (left === undefined) return;
    this.#underWay--;
    if (left > 1) this.#undecided.set(number, left - 1);
    else this.#undecided.delete(number);
  }

  /** Nothing more will be heard of a batch. */
  forget(number: number): void {
    this.#underWay -= this.#undecided.get(number) ?? 0;
    this.#undecided.delete(number);
  }

  /** Until a batch that has so many now should leave; 0 or less is now. */
  msLeft(length: number): number {
    const nowMs = this.#clock.nowMs();
    const isEnough = length * 4 >= this.#expected * 3 || nowMs - this.#leftMs > MEMORY_MS;
    return isEnough ? 0 : this.#beganMs + GATHER_MS - nowMs;
  }
}
