import { Fault } from '../../base/fault.ts';

interface Pending<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests to another thread that it has not answered yet. */
export class PendingQuestions<Answer> {
  readonly #pending = new Map<number, Pending<Answer>>();
  readonly #limit: number;
  readonly #tooMany: string;
  #lastTicket = 0;
  #failure: Fault | undefined;

  /** With `limit` unanswered requests the next one is refused with the message `tooMany`. */
  constructor(limit: number, tooMany: string) {
    this.#limit = limit;
    this.#tooMany = tooMany;
  }

  /** Sends a request under a ticket of its own. Rejects with a Fault when too many are unanswered, or when the thread has failed. */
  async ask(post: (ticket: number) => void): Promise<Answer> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#pending.size >= this.#limit) throw new Fault('runtime', this.#tooMany);
    const ticket = ++this.#lastTicket;
    return await new Promise((resolve, reject) => {
      this.#pending.set(ticket, { resolve, reject });
      post(ticket);
    });
  }

  answer(ticket: number, answer: Answer): void {
    this.#take(ticket)?.resolve(answer);
  }

  refuse(ticket: number, error: unknown): void {
    this.#take(ticket)?.reject(error);
  }

  /** The thread will answer nothing more. */
  failAll(fault: Fault): void {
    this.#failure ??= fault;
    for (const { reject } of this.#pending.values()) reject(fault);
    this.#pending.clear();
  }

  #take(ticket: number): Pending<Answer> | undefined {
    const pending = this.#pending.get(ticket);
    this.#pending.delete(ticket);
    return pending;
  }
}
