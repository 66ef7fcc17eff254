import type { PipeListener } from '../../src/wire/link/pipe.ts';
import type { EventHeap } from './event_heap.ts';
import { Fault } from '../../src/base/fault.ts';
import { SimThread } from './sim_thread.ts';

/** A machine's process: it runs, is dead, or stands still, and then due events happen when it goes on. */
export class SimProcess {
  #isRunning = true;
  #life = 0;
  #waiting: (() => void)[] | undefined;
  /** The thread that speaks to peers. */
  readonly thread: SimThread;

  readonly #outdated: () => void;

  /** `outdated` hears that the program ends itself at a hardfork that it does not know. */
  constructor(heap: EventHeap, outdated: () => void) {
    this.#outdated = outdated;
    this.thread = new SimThread(heap);
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isFrozen(): boolean {
    return this.#waiting !== undefined;
  }

  /** Does what belongs to the present life: now, when the process goes on, or never. */
  gate(): (run: () => void) => void {
    const life = this.#life;
    const happen = (run: () => void): void => {
      if (!this.#isRunning || this.#life !== life) return;
      if (this.#waiting === undefined) this.#unlessOutdated(run);
      else this.#waiting.push(() => happen(run));
    };
    return happen;
  }

  /** The same for what the network's thread does, which also waits for what that thread is doing. */
  threadGate(): (run: () => void) => void {
    const happen = this.gate();
    return (run) => happen(() => this.thread.run(() => happen(run)));
  }

  /** The bytes wait in the kernel while nobody reads. */
  gated(listener: PipeListener): PipeListener {
    const happen = this.threadGate();
    const read = (bytes: Uint8Array): void => {
      this.thread.take(bytes.length);
      listener.received(bytes);
    };
    return {
      received: (bytes) => happen(() => read(bytes)),
      drained: () => happen(() => listener.drained()),
      closed: () => happen(() => listener.closed()),
    };
  }

  #unlessOutdated(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'outdated') throw error;
      this.#outdated();
    }
  }

  kill(): void {
    this.#isRunning = false;
    this.#life++;
    this.thread.clear();
    this.#waiting = undefined;
  }

  start(): void {
    this.#isRunning = true;
  }

  freeze(): void {
    this.#waiting ??= [];
  }

  thaw(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const run of waiting) run();
  }
}
