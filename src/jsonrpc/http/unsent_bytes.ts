import type { Limits } from '../limits/limits.ts';
import { SharedSum } from '../limits/shared_sum.ts';

/** Counts what waits in memory for readers that don't keep up, up to a limit per address and a limit for all. */
export class UnsentBytes {
  readonly #held: SharedSum;

  constructor({
    unsentBytesPerAddress: perAddress,
    unsentBytesInAll: inAll,
  }: Pick<Limits, 'unsentBytesPerAddress' | 'unsentBytesInAll'>) {
    this.#held = new SharedSum({ inAll, perAddress });
  }

  /**
   * One connection of the address holds `to` bytes instead of `from`. False when that is more than a limit allows; then
   * nothing changes.
   */
  change(address: string, from: number, to: number): boolean {
    return this.#held.take(address, to - from);
  }
}
