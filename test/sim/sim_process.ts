import type { PipeListener } from '../../src/p2p/pipe.ts';

/** Whether a machine's process runs, is dead, or stands still: then what is due happens when it goes on. */
export class SimProcess {
  #isRunning = true;
  #life = 0;
  #waiting: (() => void)[] | undefined;

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
      if (this.#waiting === undefined) run();
      else this.#waiting.push(() => happen(run));
    };
    return happen;
  }

  /** The bytes wait in the kernel while nobody reads. */
  gated(listener: PipeListener): PipeListener {
    const happen = this.gate();
    return {
      received: (bytes) => happen(() => listener.received(bytes)),
      drained: () => happen(() => listener.drained()),
      closed: () => happen(() => listener.closed()),
    };
  }

  kill(): void {
    this.#isRunning = false;
    this.#life++;
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
