/** The purpose and the length of a wait. */
export interface RoundWaitOptions {
  readonly nowMs: number;
  /** The length of a round: whoever has the same key has had its turn by then. */
  readonly roundMs: number;
}

/** A chain that stands still for so long shows nobody's blocks, however long one watches. */
const STILL_MS = 30_000;
/** A process that was suspended has not been watching; the loop wakes each second. */
const LONGEST_LOOK_MS = 2000;

/**
 * A round of watching whether anybody else signs with a key. Only time in which others' blocks arrive counts; when
 * there is a peer and for 30 s no new block, it is over, or a crash of all would stop the chain for good.
 */
export class RoundWait {
  readonly #roundMs: number;
  #lookedMs: number;
  #lastBlockMs: number | undefined;
  #watchedMs = 0;
  #stillMs = 0;

  /** `nowMs` is of a clock that nobody sets. */
  constructor({ nowMs, roundMs }: RoundWaitOptions) {
    this.#roundMs = roundMs;
    this.#lookedMs = nowMs;
  }

  /** A new block of somebody else has become the head; old ones, of a chain that catches up, show nothing. */
  blockCame(nowMs: number, isNew: boolean): void {
    this.#stillMs = 0;
    if (!isNew) return;
    if (this.#lastBlockMs !== undefined && nowMs - this.#lastBlockMs <= STILL_MS)
      this.#watchedMs += nowMs - this.#lastBlockMs;
    this.#lastBlockMs = nowMs;
  }

  /** Must be called each second. `wouldSee`: whether a new block would come here if there were one. */
  look(nowMs: number, wouldSee: boolean): void {
    const passedMs = Math.min(nowMs - this.#lookedMs, LONGEST_LOOK_MS);
    this.#lookedMs = nowMs;
    this.#stillMs = wouldSee ? this.#stillMs + passedMs : 0;
  }

  get isOver(): boolean {
    return this.#watchedMs >= this.#roundMs || this.#stillMs >= STILL_MS;
  }

  /** The rest of the round. */
  get leftSeconds(): number {
    return Math.ceil(Math.max(0, this.#roundMs - this.#watchedMs) / 1000);
  }
}
