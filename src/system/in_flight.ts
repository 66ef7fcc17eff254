import type { Fault } from '../base/fault.ts';
import type { Answer, QuestionTable } from './questions.ts';

/** Takes the answer to one request. */
interface Waiting<Value> {
  readonly done: (answer: Value) => void;
  readonly failed: (error: unknown) => void;
}

type WaitingByKind<Questions extends QuestionTable<Questions>> = {
  [Kind in keyof Questions]?: Map<number, Waiting<Answer<Questions, Kind>>>;
};

/**
 * Requests that another thread or process has not answered yet, by kind and ticket. The part that asks
 * decides how many there may be.
 */
export class InFlight<Questions extends QuestionTable<Questions>> {
  readonly #byKind: WaitingByKind<Questions> = {};
  #size = 0;
  #lastTicket = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(kind: keyof Questions): number {
    return this.#byKind[kind]?.size ?? 0;
  }

  /** Returns the ticket under which the answer must come. Without `failed` a refusal is dropped. */
  add<Kind extends keyof Questions>(
    kind: Kind,
    done: (answer: Answer<Questions, Kind>) => void,
    failed: (error: unknown) => void = () => undefined,
  ): number {
    const ticket = ++this.#lastTicket;
    const waiting: WaitingByKind<Questions>[Kind] & {} = this.#byKind[kind] ?? new Map();
    this.#byKind[kind] = waiting;
    waiting.set(ticket, { done, failed });
    this.#size++;
    return ticket;
  }

  /** An answer to an unknown ticket is dropped. */
  answer<Kind extends keyof Questions>(kind: Kind, ticket: number, answer: Answer<Questions, Kind>): void {
    this.#take(kind, ticket)?.done(answer);
  }

  refuse(kind: keyof Questions, ticket: number, error: unknown): void {
    this.#take(kind, ticket)?.failed(error);
  }

  /** Nobody waits for an answer of that kind any more. */
  forget(kind: keyof Questions): void {
    this.#size -= this.sizeOf(kind);
    this.#byKind[kind]?.clear();
  }

  /** The other side will answer nothing more. */
  failAll(fault: Fault): void {
    for (const kind in this.#byKind) {
      const waiting = [...(this.#byKind[kind]?.values() ?? [])];
      this.forget(kind);
      for (const { failed } of waiting) failed(fault);
    }
  }

  #take<Kind extends keyof Questions>(kind: Kind, ticket: number): Waiting<Answer<Questions, Kind>> | undefined {
    const waiting = this.#byKind[kind];
    const found = waiting?.get(ticket);
    if (waiting?.delete(ticket) === true) this.#size--;
    return found;
  }
}
