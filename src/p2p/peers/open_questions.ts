import type { MessageForm } from '../../wire/message_kind.ts';

/** The time for which an answer that nobody waits for any more may still come. */
const LATE_ANSWER_MS = 60_000;
const MOST_QUESTIONS = 64; // more are not asked in a minute

/** The recent questions to a peer: an answer without a question is an offence. */
export class OpenQuestions {
  readonly #open: { readonly answer: MessageForm; readonly untilMs: number }[] = [];

  /** From now on an answer of the kind is taken. */
  add(answer: MessageForm, nowMs: number): void {
    this.#open.push({ answer, untilMs: nowMs + LATE_ANSWER_MS });
    if (this.#open.length > MOST_QUESTIONS) this.#open.shift();
  }

  /** Returns whether a message of the kind may come: it is no answer, or was asked for. */
  mayCome(form: MessageForm, nowMs: number): boolean {
    return form.price.payer !== 'us' || this.isAsked(form, nowMs);
  }

  isAsked(form: MessageForm, nowMs: number): boolean {
    return this.#open.some(({ answer, untilMs }) => answer === form && untilMs >= nowMs);
  }

  /** One of them has been answered, or never will be. */
  close(form: MessageForm): void {
    const at = this.#open.findIndex(({ answer }) => answer === form);
    if (at >= 0) this.#open.splice(at, 1);
  }
}
