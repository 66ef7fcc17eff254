/** The time within which a cause is logged once. */
const MINUTE_MS = 60_000;
/** Causes that are remembered, about 200 bytes each: texts name blocks and peers, so there is no end of them. */
const MOST_CAUSES = 1000;

interface Known {
  readonly writtenMs: number;
  leftOut: number;
}

/** Finds lines that repeat a cause of the last minute. */
export class RepeatedLines {
  readonly #nowMs: () => number;
  /** By event and cause, the oldest first. */
  readonly #known = new Map<string, Known>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Returns undefined when the line must not be written, else how many lines of its cause were left out before it. */
  take(event: string, cause: string): number | undefined {
    const [nowMs, key] = [this.#nowMs(), `${event} ${cause}`];
    const known = this.#known.get(key);
    if (known !== undefined && nowMs - known.writtenMs < MINUTE_MS) {
      known.leftOut++;
      return undefined;
    }
    this.#known.delete(key);
    this.#known.set(key, { writtenMs: nowMs, leftOut: 0 });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_CAUSES && oldest !== undefined) this.#known.delete(oldest);
    return known?.leftOut ?? 0;
  }
}
