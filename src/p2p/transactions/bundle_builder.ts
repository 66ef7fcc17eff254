import type { Clock } from '../../base/clock.ts';
import { MOST_BUNDLED, type BundledTransaction } from '../../wire/messages/bundle.ts';

/** A lonely transaction waits so long for company. */
const CLOSE_AFTER_MS = 20;
const CLOSE_AT_BYTES = 128 * 1024;

/** Puts transactions together into bundles of our own. */
export class BundleBuilder {
  readonly #clock: Clock;
  readonly #close: (transactions: readonly BundledTransaction[]) => void;
  #collected: BundledTransaction[] = [];
  #bytes = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, close: (transactions: readonly BundledTransaction[]) => void) {
    this.#clock = clock;
    this.#close = close;
  }

  add(transactions: readonly BundledTransaction[]): void {
    for (const transaction of transactions) {
      if (this.#collected.length >= MOST_BUNDLED || this.#bytes + transaction.packed.length > CLOSE_AT_BYTES)
        this.#end();
      this.#collected.push(transaction);
      this.#bytes += transaction.packed.length;
    }
    if (this.#collected.length > 0) this.#cancel ??= this.#clock.after(CLOSE_AFTER_MS, () => this.#end());
  }

  stop(): void {
    this.#cancel?.();
  }

  #end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const collected = this.#collected;
    this.#collected = [];
    this.#bytes = 0;
    if (collected.length > 0) this.#close(collected);
  }
}
