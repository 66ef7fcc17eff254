import type { Clock } from '../../base/clock.ts';

/** Calls in progress, or whatever else has to end first. `idle` resolves when there are none, or after `drainMs`. */
export class Drain {
  #underWay = 0;
  #whenIdle: (() => void) | undefined;

  enter(): void {
    this.#underWay++;
  }

  leave(): void {
    if (--this.#underWay === 0) this.#whenIdle?.();
  }

  idle(drainMs: number, clock: Clock): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = clock.after(drainMs, resolve);
      this.#whenIdle = () => {
        cancel();
        resolve();
      };
    });
  }
}
