import type { Clock } from '../base/clock.ts';

/** Waiting that can be cut short: by what one waits for, or by the end. */
export class Pauses {
  readonly #clock: Clock;
  readonly #keepsProcess: boolean;
  #isWoken = false;
  #isStopped = false;
  #wake: (() => void) | undefined;
  /** Only the end wakes. */
  #isDeep = false;

  /** `keepsProcess` where nothing else keeps the process alive while it waits. */
  constructor(clock: Clock, keepsProcess = false) {
    this.#clock = clock;
    this.#keepsProcess = keepsProcess;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Ends the wait, or the next one before it begins. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isDeep) this.#wake?.();
  }

  /** From now on there is no waiting. */
  stop(): void {
    this.#isStopped = true;
    this.#wake?.();
  }

  /** Until somebody wakes, or so long. */
  async untilWoken(mostMs: number): Promise<void> {
    if (!this.#isWoken) await this.#wait(mostMs);
    this.#isWoken = false;
  }

  /** So long, whoever wakes. */
  async deep(ms: number): Promise<void> {
    this.#isDeep = true;
    await this.#wait(ms);
    this.#isDeep = false;
  }

  async #wait(ms: number): Promise<void> {
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(ms, resolve, this.#keepsProcess);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
