import { SharedSum } from '../limits/shared_sum.ts';

/** Limits open connections: per address, and in all. */
export class ConnectionLimiter {
  readonly #open: SharedSum;

  constructor(perAddress: number, inAll: number) {
    this.#open = new SharedSum({ inAll, perAddress });
  }

  /** False when the limit is reached; otherwise `leave` must be called once. */
  enter(address: string): boolean {
    return this.#open.take(address, 1);
  }

  leave(address: string): void {
    this.#open.change(address, -1);
  }
}
