import type { Clock } from '../../base/clock.ts';

/**
 * A clock that a development chain can move: time goes on from where it is set, as fast as that of the clock behind it. With `onlyAhead`
 * it goes on as well when that one is set back: whose time it is, they need not wait for the machine's.
 */
export class MovableClock implements Clock {
  readonly after: Clock['after'];
  readonly elapsedMs: Clock['elapsedMs'];
  readonly #clock: Clock;
  readonly #onlyAhead: boolean;
  #shiftMs = 0;
  #behindMs: number;

  constructor(clock: Clock, onlyAhead: boolean) {
    this.#clock = clock;
    this.elapsedMs = () => clock.elapsedMs();
    this.#onlyAhead = onlyAhead;
    this.#behindMs = clock.nowMs();
    this.after = (delayMs, run, keepsProcess) => clock.after(delayMs, run, keepsProcess);
  }

  nowMs(): number {
    const behindMs = this.#clock.nowMs();
    if (this.#onlyAhead && behindMs < this.#behindMs) this.#shiftMs += this.#behindMs - behindMs;
    this.#behindMs = behindMs;
    return behindMs + this.#shiftMs;
  }

  /** It is that time now, in milliseconds since 1970. */
  set(timeMs: number): void {
    this.#behindMs = this.#clock.nowMs();
    this.#shiftMs = timeMs - this.#behindMs;
  }
}
