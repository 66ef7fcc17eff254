import { systemClock, type Clock } from '../../src/base/clock.ts';

/**
 * A clock that runs so many times as fast as the machine's, from a moment of its own: real sockets, and minutes that
 * take seconds.
 */
export class FastClock implements Clock {
  readonly #speed: number;
  readonly #startMs: number;
  readonly #beganMs = systemClock.elapsedMs();

  constructor(startMs: number, speed: number) {
    this.#startMs = startMs;
    this.#speed = speed;
  }

  nowMs(): number {
    return Math.trunc(this.#startMs + this.elapsedMs());
  }

  elapsedMs(): number {
    return (systemClock.elapsedMs() - this.#beganMs) * this.#speed;
  }

  after(delayMs: number, run: () => void, keepsProcess?: boolean): () => void {
    return systemClock.after(delayMs / this.#speed, run, keepsProcess);
  }
}
