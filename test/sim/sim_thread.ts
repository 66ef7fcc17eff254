import type { EventHeap } from './event_heap.ts';

/**
 * What the network's thread of a real node takes, in milliseconds, as measured on one core of the machine that bench/README.md names: so a
 * seed gives the same run everywhere. By command the time that this process takes itself counts besides.
 */
const workMs = {
  /** A piece of bytes through TLS and the kernel, in or out, and each of its bytes. */
  piece: 0.008,
  byte: 1.4e-6,
  /** A step of reading messages and dealing with them; there are some of each. */
  step: 0.001,
  /** An id by its number, and a block, from the store. */
  id: 0.012,
  block: 0.018,
  /** Whether a signature is that of a key. */
  signature: 0.045,
} as const;

export type Work = Exclude<keyof typeof workMs, 'byte'>;

const MEASURES = process.env['PHAROS_SIM_MEASURED'] !== undefined;

/** The thread that speaks to peers: it does one thing after the other, and whatever comes meanwhile waits. */
export class SimThread {
  readonly #heap: EventHeap;
  #waiting: (() => void)[] = [];
  #freeAtMs = 0;
  #spentMs = 0;
  #startedMs = 0;
  #isRunning = false;
  /** For how long it has worked. */
  busyMs = 0;

  constructor(heap: EventHeap) {
    this.#heap = heap;
  }

  /** The time, which goes on while something is done. */
  get nowMs(): number {
    return this.#isRunning ? this.#heap.nowMs + this.#workedMs : this.#heap.nowMs;
  }

  spend(work: Work, bytes = 0): void {
    this.#spentMs += workMs[work] + bytes * workMs.byte;
  }

  /** Does something when what came before is done. */
  run(what: () => void): void {
    if (this.#isRunning) return what();
    if (this.#waiting.length > 0 || this.#freeAtMs > this.#heap.nowMs) {
      if (this.#waiting.push(what) === 1) this.#heap.at(this.#freeAtMs, () => this.#next());
      return;
    }
    this.#work(what);
  }

  /** Its process is gone, and all that waits. */
  clear(): void {
    this.#waiting = [];
    this.#freeAtMs = 0;
  }

  get #workedMs(): number {
    return this.#spentMs + (MEASURES ? performance.now() - this.#startedMs : 0);
  }

  #work(what: () => void): void {
    this.#isRunning = true;
    this.#spentMs = 0;
    this.#startedMs = performance.now();
    try {
      what();
    } finally {
      const ms = this.#workedMs;
      this.#isRunning = false;
      this.#freeAtMs = this.#heap.nowMs + ms;
      this.busyMs += ms;
    }
  }

  #next(): void {
    const [what] = this.#waiting;
    if (what === undefined) return;
    this.#work(what);
    this.#waiting.shift();
    if (this.#waiting.length > 0) this.#heap.at(this.#freeAtMs, () => this.#next());
  }
}
