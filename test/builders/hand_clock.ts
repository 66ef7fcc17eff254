import type { Clock } from '../../src/base/clock.ts';

interface Alarm {
  atMs: number;
  readonly run: () => void;
}

const LOOK_MS = 0.05;

/** A clock that a test moves: timers run at their time, in order, and nothing else takes any time. */
export class HandClock implements Clock {
  #nowMs: number;
  #alarms: Alarm[] = [];
  #setByMs = 0;
  /** True when a look at it takes time, as all work does. */
  goesOn = false;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return Math.trunc(this.#nowMs);
  }

  elapsedMs(): number {
    if (this.goesOn) this.#nowMs += LOOK_MS;
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
    for (let next = this.#nextAlarm(endMs); next !== undefined; next = this.#nextAlarm(endMs)) {
      const due = next;
      this.#alarms = this.#alarms.filter((other) => other !== due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.run();
    }
    this.#nowMs = endMs;
  }

  /** Time passes while the process is suspended: timers that were due meanwhile run late. */
  stall(ms: number): void {
    this.#nowMs += ms;
  }

  /** The clock is set, forward or back; timers are not affected. */
  set(byMs: number): void {
    this.#nowMs += byMs;
    this.#setByMs += byMs;
    for (const alarm of this.#alarms) alarm.atMs += byMs;
  }

  /** Milliseconds until the last timer. */
  get longestMs(): number {
    return Math.max(0, ...this.#alarms.map(({ atMs }) => atMs - this.#nowMs));
  }

  #nextAlarm(endMs: number): Alarm | undefined {
    return this.#alarms.filter(({ atMs }) => atMs <= endMs).toSorted((a, b) => a.atMs - b.atMs)[0];
  }
}
