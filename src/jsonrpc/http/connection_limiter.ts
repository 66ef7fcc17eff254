/** Counts the connections that each address holds open, up to a limit per address and a limit for all. */
export class ConnectionLimiter {
  readonly #perAddress: number;
  readonly #total: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(perAddress: number, total: number) {
    this.#perAddress = perAddress;
    this.#total = total;
  }

  /** False when the limit is reached; otherwise `leave` must be called once. */
  enter(address: string): boolean {
    const held = this.#held.get(address) ?? 0;
    if (held >= this.#perAddress || this.#all >= this.#total) return false;
    this.#held.set(address, held + 1);
    this.#all++;
    return true;
  }

  leave(address: string): void {
    const held = (this.#held.get(address) ?? 1) - 1;
    if (held === 0) this.#held.delete(address);
    else this.#held.set(address, held);
    this.#all--;
  }
}
