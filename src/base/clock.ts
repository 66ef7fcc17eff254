/** Where time comes from. A parameter of every part that needs it, so that tests own the time. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs(): number;
  /** Milliseconds since some moment, with fractions; never goes back. For how long something takes. */
  elapsedMs(): number;
  /**
   * Calls `run` once, `delayMs` from now at the earliest; the result cancels it. With `keepsProcess` false, a process that has
   * nothing else to wait for ends without it.
   */
  after(delayMs: number, run: () => void, keepsProcess?: boolean): () => void;
}

/** The machine's clock and timers. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after(delayMs, run, keepsProcess = true) {
    const timer = setTimeout(run, delayMs);
    if (!keepsProcess) timer.unref();
    return () => clearTimeout(timer);
  },
};
