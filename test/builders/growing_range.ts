import { createHash } from 'node:crypto';
import type { BlockRange } from '../../src/blocks/finality/block_range.ts';

/** A hash as text of 32 characters, one a byte. */
export type BinaryDigest = string;

/** The range of signed headers, block by block as finality describes it: the model of what the ledger hashes together. */
export class GrowingRange {
  #count: number;
  /** The highest mountain first. */
  readonly #peaks: BinaryDigest[];

  constructor({ count, peaks }: BlockRange) {
    this.#count = count;
    this.#peaks = peaks.map((peak) => Buffer.from(peak, 'hex').toString('latin1'));
  }

  get range(): BlockRange {
    return { count: this.#count, peaks: this.#peaks.map((peak) => Buffer.from(peak, 'latin1').toString('hex')) };
  }

  /** Adds a block, given the sha256 of its signed header. Appends the nodes that it completes, its leaf first. */
  add(header: BinaryDigest, completed: BinaryDigest[]): void {
    let hash = sha256('\0', header);
    completed.push(hash);
    for (let mountains = this.#count; mountains % 2 === 1; mountains = Math.trunc(mountains / 2)) {
      hash = sha256('\u0001', this.#peaks.pop() ?? '', hash);
      completed.push(hash);
    }
    this.#peaks.push(hash);
    this.#count++;
  }
}

function sha256(...parts: readonly string[]): BinaryDigest {
  return createHash('sha256').update(parts.join(''), 'latin1').digest('binary');
}
