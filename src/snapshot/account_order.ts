import { joinNumbers, splitNumbers } from './cells.ts';

const FIRST_BYTES = 64 * 1024;

/**
 * The names of all accounts in the order of their table: a row of another table says only how many it passes. 28 bytes
 * an account.
 */
export class AccountOrder {
  /** Each name as rows have it: its length, then its characters. */
  #names = Buffer.alloc(FIRST_BYTES);
  #end = 0;

  /** Adds the cell of an account's name, behind the accounts that were added before. */
  add(bytes: Uint8Array, start: number, end: number): void {
    if (this.#end + end - start > this.#names.length) {
      const larger = Buffer.alloc(2 * this.#names.length);
      this.#names.copy(larger, 0, 0, this.#end);
      this.#names = larger;
    }
    for (let at = start; at < end; at++) this.#names[this.#end++] = bytes[at] ?? 0;
  }

  /** Returns the end of the name at this place; undefined behind the last one. */
  passEnd(start: number): number | undefined {
    return start < this.#end ? start + 1 + (this.#names[start] ?? 0) : undefined;
  }

  /** True when the name there is this cell. */
  isAt(start: number, bytes: Uint8Array, from: number): boolean {
    const length = 1 + (this.#names[start] ?? 0);
    for (let index = 0; index < length; index++) if (this.#names[start + index] !== bytes[from + index]) return false;
    return true;
  }

  copy(start: number, to: Buffer, at: number): void {
    this.#names.copy(to, at, start, start + 1 + (this.#names[start] ?? 0));
  }
}

/** Goes through the accounts as the rows of a table do. */
export class AccountWalk {
  readonly #order: AccountOrder;
  /** The start of the account's name; before the first row, nowhere. */
  #at = -1;

  constructor(order: AccountOrder) {
    this.#order = order;
  }

  /**
   * Returns the split numbers of accounts that these cells pass; undefined, and nothing is passed, when one is of no
   * account ahead.
   */
  splitPasses(bytes: Uint8Array, starts: Uint32Array): Buffer | undefined {
    const passes = new Uint32Array(starts.length);
    const before = this.#at;
    for (const [row, start] of starts.entries()) {
      const passed = this.#copyPass(bytes, start);
      if (passed === undefined) {
        this.#at = before;
        return undefined;
      }
      passes[row] = passed;
    }
    return splitNumbers(passes);
  }

  /** Returns the starts of the names of these rows; undefined when they mean none. */
  nameStarts(split: Buffer, rows: number): Uint32Array | undefined {
    const passes = joinNumbers(split, rows);
    if (passes === undefined) return undefined;
    for (const [row, count] of passes.entries()) {
      for (let left = count; left > 0; left--) if (!this.#step()) return undefined;
      if (this.#at < 0) return undefined;
      passes[row] = this.#at;
    }
    return passes;
  }

  #copyPass(bytes: Uint8Array, start: number): number | undefined {
    for (let passed = 0; ; passed++) {
      if (this.#at >= 0 && this.#order.isAt(this.#at, bytes, start)) return passed;
      if (!this.#step()) return undefined;
    }
  }

  /** Goes to the next account; false where there is none. */
  #step(): boolean {
    const next = this.#at < 0 ? 0 : this.#order.passEnd(this.#at);
    if (next === undefined || this.#order.passEnd(next) === undefined) return false;
    this.#at = next;
    return true;
  }
}
