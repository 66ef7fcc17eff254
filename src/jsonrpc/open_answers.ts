import type { Clock } from '../base/clock.ts';
import { withDeadline } from './envelope/deadline.ts';
import { refuseCall } from './envelope/errors.ts';

/** The responses to the elements of one body, some of which come later, one by one. */
export class OpenAnswers<Answer, Waiting> {
  /** In the order of the elements; undefined where there is no response. */
  readonly texts: (Answer | undefined)[] = [];
  readonly #waiting: (Waiting | undefined)[] = [];
  #open = 0;
  #whole: Promise<void> | undefined;
  #complete: (() => void) | undefined;

  /** True if a place was opened whose time is limited here. */
  hasWaiting = false;

  get isComplete(): boolean {
    return this.#open === 0;
  }

  /**
   * The response for this place comes later; `waiting` is what it will be made from, given where its time is limited
   * here.
   */
  open(place: number, waiting: Waiting | undefined): void {
    this.#waiting[place] = waiting;
    this.#open++;
    if (waiting !== undefined) this.hasWaiting = true;
  }

  /** The call that waits at this place; undefined once taken, because each place is answered once. */
  take(place: number): Waiting | undefined {
    const waiting = this.#waiting[place];
    this.#waiting[place] = undefined;
    return waiting;
  }

  /** Sets the response of a place that was taken. */
  close(place: number, text: Answer | undefined): void {
    this.texts[place] = text;
    if (--this.#open === 0) this.#complete?.();
  }

  /** Resolves when nothing is open any more. */
  whole(): Promise<void> {
    this.#whole ??= this.isComplete
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#complete = resolve;
        });
    return this.#whole;
  }

  /** Calls `late` for each place that still waits after the deadline. */
  expire(deadlineMs: number, clock: Clock, late: (place: number, error: unknown) => void): void {
    const refuse = (seconds: number): never => refuseCall.still_waiting({ seconds });
    withDeadline(this.whole(), deadlineMs, clock, refuse).catch((error: unknown) => {
      for (const [place, waiting] of this.#waiting.entries()) if (waiting !== undefined) late(place, error);
    });
  }
}
