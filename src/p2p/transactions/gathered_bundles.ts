import type { Clock } from '../../base/clock.ts';

/** From this number on, signatures are cheapest verified all together (crypto/verify_signers.ts). */
const COMPANY = 256;
/**
 * The time that a hop may take longer while there is traffic: a transaction has to be there before its block, and slots
 * are seconds long.
 */
const GATHER_MS = 100;

/** Something with a number of transactions. */
interface Sized {
  readonly count: number;
}

/**
 * Lets what comes soon one after the other leave together. Threads are woken once for all of it, and signatures are
 * verified at a third of the price that those of a bundle of forty have. What comes after a pause leaves at once.
 */
export class GatheredBundles<Sent extends Sized> {
  readonly #clock: Clock;
  readonly #leave: (some: readonly Sent[]) => void;
  #waiting: Sent[] = [];
  #transactions = 0;
  #leftMs = -GATHER_MS;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, leave: (some: readonly Sent[]) => void) {
    this.#clock = clock;
    this.#leave = leave;
  }

  add(sent: Sent): void {
    this.#waiting.push(sent);
    this.#transactions += sent.count;
    const waitMs = this.#leftMs + GATHER_MS - this.#clock.elapsedMs();
    if (waitMs <= 0 || this.#transactions >= COMPANY) this.flush();
    else this.#cancel ??= this.#clock.after(waitMs, () => this.flush());
  }

  /** Lets go what waits. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#waiting.length === 0) return;
    const some = this.#waiting;
    this.#waiting = [];
    this.#transactions = 0;
    this.#leftMs = this.#clock.elapsedMs();
    this.#leave(some);
  }
}
