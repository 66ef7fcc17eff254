import type { EventHeap } from './event_heap.ts';
import { threadPrices, type Work } from './thread_prices.ts';

/** Of a thread that was free for longer, the next piece wakes it. */
const AWAKE_MS = 0.05;

/** True when the CPU time of this process counts besides: then no run is like another. */
export const isMeasured = process.env['PHAROS_SIM_MEASURED'] !== undefined;

/** Returns the CPU time of this process: other work of this machine does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The thread that speaks to peers: it does one thing after the other, and whatever comes meanwhile waits. */
export class SimThread {
  readonly #heap: EventHeap;
  #waiting: (() => void)[] = [];
  #freeAtMs = 0;
  #spentMs = 0;
  #startedMs = 0;
  #isRunning = false;
  #isWoken = false;
  /** For how long it has worked. */
  busyMs = 0;

  constructor(heap: EventHeap) {
    this.#heap = heap;
  }

  /** The time, which goes on while something is done. */
  get nowMs(): number {
    return this.#isRunning ? this.#heap.nowMs + this.#presentMs : this.#heap.nowMs;
  }

  spend(work: Work, bytes = 0): void {
    this.#spentMs += threadPrices[work] + bytes * threadPrices.byte;
  }

  /** Takes a piece from the kernel. */
  take(bytes: number): void {
    this.spend('piece', bytes);
    if (this.#isWoken) this.spend('wake');
    this.#isWoken = false;
  }

  /** For how long it has worked by now, with what it is doing. */
  get workedMs(): number {
    return this.busyMs + (this.#isRunning ? this.#presentMs : 0);
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

  /** The duration of its present work. */
  get #presentMs(): number {
    return this.#spentMs + (isMeasured ? cpuMs() - this.#startedMs : 0);
  }

  #work(what: () => void): void {
    this.#isRunning = true;
    this.#isWoken = this.#heap.nowMs - this.#freeAtMs > AWAKE_MS;
    this.#spentMs = 0;
    this.#startedMs = isMeasured ? cpuMs() : 0;
    try {
      what();
    } finally {
      const ms = this.#presentMs;
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
