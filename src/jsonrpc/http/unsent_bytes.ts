import type { Limits } from '../limits.ts';

/** Counts what waits in memory for readers that don't keep up, up to a limit per address and a limit for all. */
export class UnsentBytes {
  readonly #perAddress: number;
  readonly #inAll: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor({ unsentBytesPerAddress, unsentBytesInAll }: Pick<Limits, 'unsentBytesPerAddress' | 'unsentBytesInAll'>) {
    this.#perAddress = unsentBytesPerAddress;
    this.#inAll = unsentBytesInAll;
  }

  /** One connection of the address holds `to` bytes instead of `from`. False when that is more than a limit allows; then nothing changes. */
  change(address: string, from: number, to: number): boolean {
    const more = to - from;
    const held = (this.#held.get(address) ?? 0) + more;
    if (more > 0 && (held > this.#perAddress || this.#all + more > this.#inAll)) return false;
    this.#all += more;
    if (held === 0) this.#held.delete(address);
    else this.#held.set(address, held);
    return true;
  }
}
