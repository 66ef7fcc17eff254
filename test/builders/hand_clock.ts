import type { Clock } from '../../src/base/clock.ts';

interface Alarm {
  atMs: number;
  readonly run: () => void;
}

/** A clock that a test moves by hand: what is due runs at its own time, in order, and nothing else takes any time. */
export class HandClock implements Clock {
  #nowMs: number;
  #alarms: Alarm[] = [];
  #setByMs = 0;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  elapsedMs(): number {
    return this.#nowMs - this.#setByMs;
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

  /** Somebody sets the clock, forward or back: timers go on as they were. */
  set(byMs: number): void {
    this.#nowMs += byMs;
    this.#setByMs += byMs;
    for (const alarm of this.#alarms) alarm.atMs += byMs;
  }

  /** How long the longest timer has still to run. */
  get longestMs(): number {
    return Math.max(0, ...this.#alarms.map(({ atMs }) => atMs - this.#nowMs));
  }

  #nextBefore(endMs: number): Alarm | undefined {
    return this.#alarms.filter(({ atMs }) => atMs <= endMs).toSorted((a, b) => a.atMs - b.atMs)[0];
  }
}
