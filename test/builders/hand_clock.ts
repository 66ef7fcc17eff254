import type { Clock } from '../../src/base/clock.ts';

interface Alarm {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that a test moves by hand: what is due runs at its own time, in order, and nothing else takes any time. */
export class HandClock implements Clock {
  #nowMs: number;
  #alarms: Alarm[] = [];

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  elapsedMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const alarm = { atMs: this.#nowMs + delayMs, run };
    this.#alarms.push(alarm);
    return () => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
    };
  }

  /** Lets time pass. */
  pass(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (let next = this.#nextBefore(endMs); next !== undefined; next = this.#nextBefore(endMs)) {
      const due = next;
      this.#alarms = this.#alarms.filter((other) => other !== due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.run();
    }
    this.#nowMs = endMs;
  }

  /** Time passes while everything stands still: what was due meanwhile runs late. */
  stall(ms: number): void {
    this.#nowMs += ms;
  }

  #nextBefore(endMs: number): Alarm | undefined {
    return this.#alarms.filter(({ atMs }) => atMs <= endMs).toSorted((a, b) => a.atMs - b.atMs)[0];
  }
}
