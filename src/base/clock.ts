/** The source of time. Every part that needs it takes one as a parameter, so that tests control time. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs(): number;
  /** Milliseconds since an arbitrary moment, with fractions; monotonic. For measuring durations. */
  elapsedMs(): number;
  /**
   * Calls `run` once, no earlier than `delayMs` from now; the returned function cancels it. With `keepsProcess` false,
   * the timer does not keep the process alive.
   */
  after(delayMs: number, run: () => void, keepsProcess?: boolean): () => void;
}

/**
 * A Node timer set for 2³¹ ms or more fires at once. The limit is far lower, so that a bug in the splitting shows soon.
 */
const LONGEST_TIMER_MS = 60_000;

/** The machine's clock and timers. A long delay is split into several timers; changes to the clock do not affect it. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after(delayMs, run, keepsProcess = true) {
    // A number in browsers, where nothing waits for timers.
    let timer: NodeJS.Timeout | number;
    const wait = (leftMs: number): void => {
      const pieceMs = Math.min(leftMs, LONGEST_TIMER_MS);
      timer = setTimeout(() => (leftMs > pieceMs ? wait(leftMs - pieceMs) : run()), pieceMs);
      if (!keepsProcess && typeof timer === 'object') timer.unref();
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  },
};
