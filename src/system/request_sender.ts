import { Fault } from '../base/fault.ts';
import { InFlight } from './in_flight.ts';
import type { Answer, Answered, Asked, Question, QuestionTable } from './questions.ts';

/** The asking side of a protocol between threads. */
export class RequestSender<Questions extends QuestionTable<Questions>> {
  readonly #inFlight = new InFlight<Questions>();
  readonly #limit: number;
  readonly #tooMany: string;
  #failure: Fault | undefined;

  /** With `limit` unanswered questions the next one is refused with the message `tooMany`. */
  constructor(limit: number, tooMany: string) {
    this.#limit = limit;
    this.#tooMany = tooMany;
  }

  /**
   * Posts a question under a ticket of its own. Rejects with a Fault when too many are unanswered, or when the thread
   * has failed.
   */
  async ask<Kind extends keyof Questions>(
    question: Question<Questions, Kind>,
    post: (asked: Asked<Questions>) => void,
  ): Promise<Answer<Questions, Kind>> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#inFlight.size >= this.#limit) throw new Fault('runtime', this.#tooMany);
    return await new Promise((resolve, reject) => {
      const ticket = this.#inFlight.add(question.kind, resolve, reject);
      post({ kind: 'ask', ticket, question });
    });
  }

  answer<Kind extends keyof Questions>({ to, ticket, value }: Answered<Questions, Kind>): void {
    this.#inFlight.answer(to, ticket, value);
  }

  refuse(to: keyof Questions, ticket: number, error: Error): void {
    this.#inFlight.refuse(to, ticket, error);
  }

  /** The thread will answer nothing more. */
  failAll(fault: Fault): void {
    this.#failure ??= fault;
    this.#inFlight.failAll(fault);
  }
}
