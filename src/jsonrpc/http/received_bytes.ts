import type { Limits } from '../limits/limits.ts';
import { SharedSum } from '../limits/shared_sum.ts';

/** Counts the parts of bodies whose rest has not come yet, up to a limit per address and a limit for all. */
export class ReceivedBytes {
  readonly #held: SharedSum;

  constructor(limits: Pick<Limits, 'receivedBytesPerAddress' | 'receivedBytesInAll'>) {
    this.#held = new SharedSum({ inAll: limits.receivedBytesInAll, perAddress: limits.receivedBytesPerAddress });
  }

  /** False when that is more than a limit allows; otherwise `release` must be called for them. */
  take(address: string, bytes: number): boolean {
    return this.#held.take(address, bytes);
  }

  release(address: string, bytes: number): void {
    this.#held.change(address, -bytes);
  }
}
