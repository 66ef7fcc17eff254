import { systemClock, type Clock } from '../../base/clock.ts';

/** The machine's clock, which a development chain can move: time goes on from where it is set. */
export class MovableClock implements Clock {
  readonly after = systemClock.after;
  #shiftMs = 0;

  nowMs(): number {
    return systemClock.nowMs() + this.#shiftMs;
  }

  /** It is that time now, in milliseconds since 1970. */
  set(timeMs: number): void {
    this.#shiftMs = timeMs - systemClock.nowMs();
  }
}
