import type { Clock } from '../base/clock.ts';

/**
 * A clock that a development chain can set: time continues from there at the pace of the underlying clock. With
 * `onlyAhead` it also continues when the underlying clock is set back: a chain that sets its own time needn't wait for
 * the machine's.
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

  /** Sets the current time, in milliseconds since 1970. */
  set(timeMs: number): void {
    this.#behindMs = this.#clock.nowMs();
    this.#shiftMs = timeMs - this.#behindMs;
  }
}
