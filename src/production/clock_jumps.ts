import type { WriteLine } from '../base/log_events/index.ts';
import type { Clock } from '../base/clock.ts';

/** Smaller corrections are normal clock synchronisation. */
const JUMP_MS = 1000;

/** Detects when the machine's clock is set back. */
export class ClockJumps {
  readonly #clock: Clock;
  readonly #warn: WriteLine<'warning'>;
  #latestMs: number;

  constructor(clock: Clock, warn: WriteLine<'warning'>) {
    this.#clock = clock;
    this.#warn = warn;
    this.#latestMs = clock.nowMs();
  }

  /** Must be called regularly. */
  look(): void {
    const nowMs = this.#clock.nowMs();
    const backMs = this.#latestMs - nowMs;
    this.#latestMs = nowMs;
    if (backMs > JUMP_MS)
      this.#warn(
        `the clock of this machine went back by ${Math.round(backMs / 1000)} seconds; slots follow it from now on`,
        'clock_went_back',
        { seconds: Math.round(backMs / 1000) },
      );
  }
}
