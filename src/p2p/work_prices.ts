import type { MessageForm } from './message_kind.ts';

/** How much of a new measurement goes into a price: a pause of the machine moves it little, and twenty messages are enough to learn it. */
const LEARNED = 0.1;

/** What a kind of message takes, learned of what it took. */
export class WorkPrices {
  readonly #prices = new Map<MessageForm, number>();
  readonly #spentMs = new Map<string, number>();

  /** What the next message of the kind will take, about. */
  of(form: MessageForm): number {
    return this.#prices.get(form) ?? form.price.firstMs;
  }

  /** One took so long. */
  learn(form: MessageForm, ms: number): void {
    const before = this.of(form);
    this.#prices.set(form, before + (ms - before) * LEARNED);
    this.note(form.name, ms);
  }

  /** The same for what is no message: bytes and pieces of frames. */
  note(what: string, ms: number): void {
    this.#spentMs.set(what, (this.#spentMs.get(what) ?? 0) + ms);
  }

  /** Milliseconds since the start, by kind of message. */
  get spentMs(): ReadonlyMap<string, number> {
    return this.#spentMs;
  }
}
