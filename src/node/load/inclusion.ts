import type { LatencyHistogram } from './latency_histogram.ts';

/** Transactions that are followed at once; a node with more behind it is measured by these. */
const MOST_FOLLOWED = 500_000;

interface Included {
  readonly id: string;
  readonly dueMs: number;
}

/** Follows transactions from the moment they were due until they are in a block, and until that block is irreversible. */
export class Inclusion {
  readonly #inclusion: LatencyHistogram;
  readonly #irreversibility: LatencyHistogram;
  readonly #waiting = new Map<string, number>();
  /** By block, oldest first. */
  readonly #reversible = new Map<number, readonly Included[]>();
  #reversibleCount = 0;
  #includedCount = 0;

  constructor(inclusion: LatencyHistogram, irreversibility: LatencyHistogram) {
    this.#inclusion = inclusion;
    this.#irreversibility = irreversibility;
  }

  /** Transactions that wait for a block. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Transactions in blocks that can still be undone. */
  get reversible(): number {
    return this.#reversibleCount;
  }

  get included(): number {
    return this.#includedCount;
  }

  /** Followed from when it is sent: a block may be known before the answer. */
  sent(id: string, dueMs: number): void {
    if (this.#waiting.size < MOST_FOLLOWED) this.#waiting.set(id, dueMs);
  }

  refused(id: string): void {
    this.#waiting.delete(id);
  }

  /** Those that wait, at most so many. */
  someWaiting(most: number): string[] {
    const some: string[] = [];
    for (const id of this.#waiting.keys()) {
      if (some.length === most) break;
      some.push(id);
    }
    return some;
  }

  /** A block with these transactions was seen. */
  inBlock(number: number, ids: readonly string[], nowMs: number): void {
    const included: Included[] = [...(this.#reversible.get(number) ?? [])];
    for (const id of ids) {
      const dueMs = this.#waiting.get(id);
      if (dueMs === undefined) continue;
      this.#waiting.delete(id);
      this.#inclusion.record(nowMs - dueMs);
      included.push({ id, dueMs });
      this.#reversibleCount++;
      this.#includedCount++;
    }
    if (included.length > 0) this.#reversible.set(number, included);
    this.#forgetOldest();
  }

  /** The block is no part of the chain any more: its transactions wait again. */
  undone(number: number): void {
    for (const { id, dueMs } of this.#remove(number)) {
      this.#includedCount--;
      this.#waiting.set(id, dueMs);
    }
  }

  /** Blocks up to this one are irreversible. */
  irreversible(upTo: number, nowMs: number): void {
    for (const number of this.#reversible.keys()) {
      if (number > upTo) break;
      for (const { dueMs } of this.#remove(number)) this.#irreversibility.record(nowMs - dueMs);
    }
  }

  #remove(number: number): readonly Included[] {
    const included = this.#reversible.get(number) ?? [];
    this.#reversible.delete(number);
    this.#reversibleCount -= included.length;
    return included;
  }

  /** A chain that makes nothing irreversible must not fill the memory. */
  #forgetOldest(): void {
    for (const number of this.#reversible.keys()) {
      if (this.#reversibleCount <= MOST_FOLLOWED) return;
      this.#remove(number);
    }
  }
}
