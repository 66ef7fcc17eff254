/** The parts of the page that a heartbeat needs. */
export interface HeartbeatParts {
  /** Asks the node for a sign of life. */
  readonly ask: () => Promise<unknown>;
  /** Nothing has come from the node for a whole interval. */
  readonly silent: () => void;
  readonly intervalMs: () => number;
  readonly after: (ms: number, run: () => void) => void;
}

/**
 * Asks the node once in each block interval for a sign of life. A node that ends is found out within two intervals,
 * while a connection that breaks without a word, or is renewed in vain, tells nothing for much longer.
 */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  #hasHeard = false;
  #isAsking = false;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
  }

  /** Something came from the node. */
  heard(): void {
    this.#hasHeard = true;
  }

  /** Begins, and goes on for as long as the page is open. */
  beat(): void {
    const { after, intervalMs, silent } = this.#parts;
    this.#hasHeard = false;
    if (!this.#isAsking) this.#ask();
    after(intervalMs(), () => {
      if (!this.#hasHeard) silent();
      this.beat();
    });
  }

  #ask(): void {
    this.#isAsking = true;
    const ended = (): void => void (this.#isAsking = false);
    this.#parts.ask().then(() => {
      ended();
      this.heard();
    }, ended);
  }
}
