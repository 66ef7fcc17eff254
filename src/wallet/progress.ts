import type { Clock } from '../base/clock.ts';

/** A terminal line that shows that work is in progress. */
export interface ProgressLine {
  write(text: string): unknown;
}

/** Shorter waits aren't noticed. */
const QUIET_MS = 700;
const STEP_MS = 1000;
const CLEAR_LINE = '\r\u001B[K';

/** Counts the seconds of long work on a line of the terminal. Questions and other texts take the line away first. */
export class Progress {
  readonly #what: string;
  readonly #line: ProgressLine | undefined;
  readonly #clock: Clock;
  #isShown = false;
  #cancel: () => void = () => undefined;

  constructor(what: string, line: ProgressLine | undefined, clock: Clock) {
    this.#what = what;
    this.#line = line;
    this.#clock = clock;
  }

  /** The outcome of `work`; the line is cleared afterwards. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#begin();
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  /** The answer to a question. The line is cleared before it, stays away until it is answered, and counts anew then. */
  async asking<T>(question: () => Promise<T>): Promise<T> {
    this.#end();
    const answer = await question();
    this.#begin();
    return answer;
  }

  /** Clears the line, for a text in its place; it comes back with the next second. */
  clear(): void {
    if (this.#isShown) this.#line?.write(CLEAR_LINE);
    this.#isShown = false;
  }

  #begin(): void {
    const line = this.#line;
    if (line === undefined) return;
    const startedMs = this.#clock.nowMs();
    const show = (): void => {
      this.#isShown = true;
      line.write(`${CLEAR_LINE}${this.#what}: waiting, ${Math.trunc((this.#clock.nowMs() - startedMs) / 1000)} s`);
      this.#cancel = this.#clock.after(STEP_MS, show);
    };
    this.#cancel = this.#clock.after(QUIET_MS, show);
  }

  #end(): void {
    this.#cancel();
    this.clear();
  }
}
