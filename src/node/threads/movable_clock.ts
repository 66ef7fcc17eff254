import type { Clock } from '../../base/clock.ts';

/** A clock that a development chain can move: time goes on from where it is set, as fast as that of the clock behind it. */
export class MovableClock implements Clock {
  readonly after: Clock['after'];
  readonly elapsedMs: Clock['elapsedMs'];
  readonly #clock: Clock;
  #shiftMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.elapsedMs = () => clock.elapsedMs();
    this.after = (delayMs, run, keepsProcess) => clock.after(delayMs, run, keepsProcess);
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#shiftMs;
  }

  /** It is that time now, in milliseconds since 1970. */
  set(timeMs: number): void {
    this.#shiftMs = timeMs - this.#clock.nowMs();
  }
}
