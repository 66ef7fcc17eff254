import type { MessageForm } from './message_kind.ts';
import type { NetworkCounts } from './network_counts.ts';
import type { SpareTime } from './spare_time.ts';

/** How much of a new measurement goes into a price: a pause of the machine moves it little, and twenty messages are enough to learn it. */
const LEARNED = 0.1;

/** What a kind of message takes, learned of what it took, and what everything has taken so far. */
export class WorkPrices {
  readonly #prices = new Map<MessageForm, number>();
  readonly #spent: NetworkCounts['work'];
  readonly #spare: SpareTime;

  /** All work is added to `spent`, by kind, and taken off the spare time. */
  constructor(spent: NetworkCounts['work'], spare: SpareTime) {
    this.#spent = spent;
    this.#spare = spare;
  }

  /** What the next message of the kind will take, about. */
  of(form: MessageForm): number {
    return this.#prices.get(form) ?? form.price.firstMs;
  }

  /** One took so long. */
  learn(form: MessageForm, ms: number): void {
    const before = this.of(form);
    this.#prices.set(form, before + (ms - before) * LEARNED);
  }

  /** The thread has worked so long, on a kind of message or on something else that has a name. */
  note(what: string, ms: number, nowMs: number): void {
    this.#spent[what] = (this.#spent[what] ?? 0) + ms;
    this.#spare.worked(ms, nowMs);
  }
}
