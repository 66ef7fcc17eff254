/** The window of the growth: an hour evens out what the database writes and clears away again. */
const WINDOW_SECONDS = 3600;
/** From less than that nothing can be told. */
const LEAST_SECONDS = 600;
/** Between samples that are kept. */
const EACH_SECONDS = 60;

interface Sample {
  readonly atSeconds: number;
  readonly freeBytes: number;
}

/** When the disk is full, by what was left of it in the last hour. */
export class DiskRoom {
  readonly #samples: Sample[] = [];
  #freeBytes: number | undefined;

  /** The bytes that were left at the last look. */
  get freeBytes(): number | undefined {
    return this.#freeBytes;
  }

  take(freeBytes: number | undefined, atSeconds: number): void {
    this.#freeBytes = freeBytes;
    const last = this.#samples.at(-1);
    if (freeBytes === undefined || (last !== undefined && atSeconds - last.atSeconds < EACH_SECONDS)) return;
    this.#samples.push({ atSeconds, freeBytes });
    while ((this.#samples[1]?.atSeconds ?? Infinity) <= atSeconds - WINDOW_SECONDS) this.#samples.shift();
  }

  /**
   * Seconds until nothing is left if it goes on so; undefined while that is not known, and where the disk does not
   * fill.
   */
  fullInSeconds(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.atSeconds - first.atSeconds < LEAST_SECONDS) return undefined;
    const bytesPerSecond = (first.freeBytes - last.freeBytes) / (last.atSeconds - first.atSeconds);
    return bytesPerSecond > 0 ? last.freeBytes / bytesPerSecond : undefined;
  }
}
