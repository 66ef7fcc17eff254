/** Numbers drawn from a seed: the same seed draws the same ones, so a load can be repeated. Not for keys. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** A whole number of these bounds, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Lower-case letters and digits. */
  letters(count: number): string {
    let text = '';
    while (text.length < count) text += Math.floor(this.next() * 0x1_0000_0000).toString(36);
    return text.slice(0, count);
  }

  /** The list in another order; it is changed itself. */
  shuffle<T>(list: T[]): T[] {
    for (let last = list.length - 1; last > 0; last--) {
      const other = this.whole(0, last);
      const [a, b] = [list[last], list[other]];
      if (a !== undefined && b !== undefined) [list[last], list[other]] = [b, a];
    }
    return list;
  }
}
