import type { Clock } from '../../base/clock.ts';
import { Assembly } from './assembly.ts';
import type { BlockParts, ChainView } from '../environment/chain_access.ts';

/** A packed block that is read from the chain a part at a time. */
export class BlockReading {
  readonly #clock: Clock;
  readonly #stored: BlockParts | undefined;
  readonly #read: Uint8Array[] = [];
  #assembly: Assembly | undefined;

  constructor(view: ChainView, clock: Clock, number: number) {
    this.#clock = clock;
    this.#stored = view.readParts(number);
  }

  /**
   * Reads on until about that time: the whole block, `later` when there is more to read, undefined when the chain does
   * not have it (any more).
   */
  resume(endMs: number): Uint8Array | 'later' | undefined {
    const { count } = this.#stored ?? { count: 0 };
    while (this.#read.length < count) {
      const part = this.#stored?.part(this.#read.length);
      if (part === undefined) return undefined;
      this.#read.push(part);
      if (this.#read.length < count && this.#clock.elapsedMs() >= endMs) return 'later';
    }
    if (count < 2) return this.#read[0];
    this.#assembly ??= new Assembly(this.#read);
    return this.#assembly.resume(this.#clock, endMs) ?? 'later';
  }
}
