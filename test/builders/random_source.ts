import { present } from '../../src/base/assert.ts';

/** Repeatable random numbers: the same seed gives the same sequence (mulberry32). */
export class RandomSource {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `below` − 1. */
  roll(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let word = this.#state;
    word = Math.imul(word ^ (word >>> 15), word | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return Math.floor((((word ^ (word >>> 14)) >>> 0) / 4_294_967_296) * below);
  }

  /** True with this probability in percent. */
  chance(percent: number): boolean {
    return this.roll(100) < percent;
  }

  /** A random element. */
  pick<T>(items: readonly T[]): T {
    return present(items[this.roll(items.length)], 'something to pick');
  }

  /** The elements in random order. */
  shuffle<T>(items: readonly T[]): T[] {
    const rest = [...items];
    return items.map(() => present(rest.splice(this.roll(rest.length), 1)[0], 'an item that is left'));
  }
}
