import type { Clock } from '../base/clock.ts';

/** A batch that a verifier is working on or that waits for one. */
interface Work {
  readonly items: number;
  /** Undefined while it waits for its thread. */
  startedMs: number | undefined;
}

/**
 * About how long handing over a batch takes when the front is busy; handing over this early keeps verifiers from
 * idling.
 */
const LEAD_MS = 2;
/** The weight of earlier measurements when a batch is done: about the last dozen batches matter. */
const MEMORY = 0.8;

/** The verifiers' current work, and an estimate, from earlier batches, of when the first of them will be free. */
export class VerifierLoad {
  readonly #clock: Clock;
  /** Oldest first, the order in which batches are started. */
  readonly #work: Work[] = [];
  #items = 0;
  #micros = 0;
  /** The expected end of the first running batch; recomputed for each batch. */
  #endsMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Batches that were handed over and aren't done yet. */
  get batches(): number {
    return this.#work.length;
  }

  /** A batch is handed over to a pool of `threads`; pass the result to `end`. */
  begin(items: number, threads: number): Work {
    const work: Work = { items, startedMs: this.#work.length < threads ? this.#clock.nowMs() : undefined };
    this.#work.push(work);
    this.#expect();
    return work;
  }

  /**
   * The batch is done and took this long; undefined when it failed. Its thread continues with the oldest waiting batch.
   */
  end(work: Work, elapsedMicros: number | undefined): void {
    this.#work.splice(this.#work.indexOf(work), 1);
    const next = this.#work.find(({ startedMs }) => startedMs === undefined);
    if (next !== undefined) next.startedMs = this.#clock.nowMs();
    if (elapsedMicros !== undefined) {
      this.#items = this.#items * MEMORY + work.items;
      this.#micros = this.#micros * MEMORY + elapsedMicros;
    }
    this.#expect();
  }

  /**
   * Time until the next batch should be handed over, so that a verifier has it when it becomes free; 0 or less means
   * now.
   */
  msUntilNearlyFree(): number {
    return this.#endsMs - LEAD_MS - this.#clock.nowMs();
  }

  #expect(): void {
    const msPerItem = this.#items === 0 ? 0 : this.#micros / this.#items / 1000;
    const ends = this.#work.flatMap(({ items, startedMs }) =>
      startedMs === undefined ? [] : [startedMs + items * msPerItem],
    );
    this.#endsMs = Math.min(...ends);
  }
}
