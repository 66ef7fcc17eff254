import type { SourceEvent } from './chain_source.ts';

/** So many operations wait to be taken at most, about 50 MB; beyond, whoever puts them waits. */
const MOST_WAITING = 40_000;
/** As many are handed over at once: the rows of a transaction of the database. */
const MOST_TAKEN = 20_000;

/** Events between who reads them and who writes them down. */
export class SourceQueue {
  #events: SourceEvent[] = [];
  #weight = 0;
  #failure: Error | undefined;
  #isClosed = false;
  #filled: () => void = () => undefined;
  #emptied: () => void = () => undefined;

  get isFull(): boolean {
    return this.#weight > MOST_WAITING;
  }

  get isHalfEmpty(): boolean {
    return this.#weight < MOST_WAITING / 2;
  }

  put(event: SourceEvent): void {
    this.#events.push(event);
    this.#weight += eventWeight(event);
    this.#filled();
  }

  /**
   * Some events; waits for one. Empty once the queue is closed; throws what it failed with, once all before that is
   * taken.
   */
  async take(): Promise<readonly SourceEvent[]> {
    for (;;) {
      if (this.#isClosed) return [];
      if (this.#events.length > 0) break;
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => (this.#filled = resolve));
    }
    let [count, end] = [0, 0];
    while (end < this.#events.length && count < MOST_TAKEN) count += eventWeight(this.#events[end++]);
    this.#weight -= count;
    this.#emptied();
    return this.#events.splice(0, end);
  }

  /** Resolves while not too many events wait. */
  async room(): Promise<void> {
    while (this.isFull && !this.#isClosed) await new Promise<void>((resolve) => (this.#emptied = resolve));
  }

  /** Drops what waits, and what it failed with. */
  clear(): void {
    [this.#events, this.#weight, this.#failure] = [[], 0, undefined];
    this.#emptied();
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#filled();
  }

  close(): void {
    this.#isClosed = true;
    this.#filled();
    this.#emptied();
  }
}

/** A block counts as one more, so that empty ones are limited, too. */
function eventWeight(event: SourceEvent | undefined): number {
  return event !== undefined && 'block' in event ? event.block.operations.length + 1 : 1;
}
