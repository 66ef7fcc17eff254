import type { Clock } from '../../src/base/clock.ts';

interface Event {
  readonly atMs: number;
  readonly number: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** The coming events, by time and then by order of entry: so a run can be repeated to the last event. */
export class EventHeap {
  nowMs: number;
  events = 0;
  readonly #heap: Event[] = [];
  #numbers = 0;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  at(atMs: number, run: () => void): () => void {
    const event: Event = { atMs: Math.max(atMs, this.nowMs), number: this.#numbers++, run, isCancelled: false };
    this.#heap.push(event);
    this.#rise(this.#heap.length - 1);
    return () => {
      event.isCancelled = true;
    };
  }

  /** Runs what is due until then; `after` is called behind each event. */
  runEvents(endMs: number, after: () => void): void {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= endMs; next = this.#heap[0]) {
      this.#pop();
      if (next.isCancelled) continue;
      this.nowMs = next.atMs;
      this.events++;
      next.run();
      after();
    }
    this.nowMs = endMs;
  }

  /**
   * The clock of a node that is wrong by so much; `happen` does what is due, or not, or later. Where somebody says how
   * far time has gone while it works, that counts.
   */
  clock(offsetMs: () => number, happen: (run: () => void) => void, nowMs = (): number => this.nowMs): Clock {
    return {
      nowMs: () => Math.trunc(nowMs() + offsetMs()),
      elapsedMs: nowMs,
      after: (delayMs, run) => this.at(nowMs() + Math.max(0, delayMs), () => happen(run)),
    };
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    for (let at = 0; ;) {
      const child = this.#smallerChild(at);
      if (child === undefined || !isEarlier(child.event, last)) return;
      this.#heap[child.at] = last;
      this.#heap[at] = child.event;
      at = child.at;
    }
  }

  #smallerChild(at: number): { readonly at: number; readonly event: Event } | undefined {
    const [left, right] = [this.#heap[2 * at + 1], this.#heap[2 * at + 2]];
    if (left === undefined) return undefined;
    return right !== undefined && isEarlier(right, left)
      ? { at: 2 * at + 2, event: right }
      : { at: 2 * at + 1, event: left };
  }

  #rise(start: number): void {
    for (let at = start; at > 0;) {
      const above = (at - 1) >> 1;
      const [child, parent] = [this.#heap[at], this.#heap[above]];
      if (child === undefined || parent === undefined || !isEarlier(child, parent)) return;
      this.#heap[above] = child;
      this.#heap[at] = parent;
      at = above;
    }
  }
}

function isEarlier(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number);
}
