import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Each look wakes the thread, which takes 30 µs and more of an idle one. So much of a stop may be missed, and shorter ones
 * as a whole.
 */
const LOOK_EACH_MS = 50;
const NANOSECONDS_EACH_LOOK = LOOK_EACH_MS * 1e6;
const NANOSECONDS = 1e9;

/** Measures the delay of this thread's event loop. */
export class LoopDelay {
  readonly #looks = monitorEventLoopDelay({ resolution: LOOK_EACH_MS });

  /** From now on. */
  begin(): void {
    this.#looks.enable();
  }

  /** Returns the largest delay since the last call, in seconds: up to 0.05 less than it was. */
  takeSeconds(): number {
    const seconds = Math.max(0, this.#looks.max - NANOSECONDS_EACH_LOOK) / NANOSECONDS;
    this.#looks.reset();
    return seconds;
  }
}
