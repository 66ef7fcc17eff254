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

/** A timer of Node's that is set for more than 2³¹ ms fires at once; nobody should have to wait to see a mistake in one, either. */
const LONGEST_TIMER_MS = 60_000;

/** The machine's clock and timers. A long delay is waited for in pieces, whatever becomes of the clock meanwhile. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after(delayMs, run, keepsProcess = true) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const pieceMs = Math.min(leftMs, LONGEST_TIMER_MS);
      timer = setTimeout(() => (leftMs > pieceMs ? wait(leftMs - pieceMs) : run()), pieceMs);
      if (!keepsProcess) timer.unref();
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  },
};
