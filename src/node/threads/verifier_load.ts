import type { Clock } from '../../base/clock.ts';

/** A batch that a verifier has or is to have. */
interface Work {
  readonly items: number;
  /** Undefined while it waits for its thread. */
  startedMs: number | undefined;
}

/** Handing a batch over takes about so long when the front is busy; a verifier that gets its next one in that time never stands idle. */
const LEAD_MS = 2;
/** What counted before counts so much when a new batch is done: the last dozen of batches matter. */
const MEMORY = 0.8;

/** What verifiers have to do, and when the first of them will be done with it, judged by how long they took until now. */
export class VerifierLoad {
  readonly #clock: Clock;
  /** The oldest first, which is the order in which they are begun. */
  readonly #work: Work[] = [];
  #items = 0;
  #micros = 0;
  /** When the first of those that are worked on is expected to end; worked out anew with each batch. */
  #endsMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Batches that were handed over and are not done. */
  get batches(): number {
    return this.#work.length;
  }

  /** A batch is handed over to so many threads; the result is for `end`. */
  begin(items: number, threads: number): Work {
    const work: Work = { items, startedMs: this.#work.length < threads ? this.#clock.nowMs() : undefined };
    this.#work.push(work);
    this.#expect();
    return work;
  }

  /** It is done and took its verifier so long; undefined when that has failed. Its thread goes on with the oldest that waits. */
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

  /** Until the next batch should be handed over so that a verifier finds it when it is done; 0 or less is now. */
  msUntilNearlyFree(): number {
    return this.#endsMs - LEAD_MS - this.#clock.nowMs();
  }

  #expect(): void {
    const msPerItem = this.#items === 0 ? 0 : this.#micros / this.#items / 1000;
    const ends = this.#work.flatMap(({ items, startedMs }) => (startedMs === undefined ? [] : [startedMs + items * msPerItem]));
    this.#endsMs = Math.min(...ends);
  }
}
