/** Where time comes from. A parameter of every part that needs it, so that tests own the time. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs(): number;
  /** Calls `run` once, `delayMs` from now at the earliest; the result cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

/** The machine's clock and timers. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
