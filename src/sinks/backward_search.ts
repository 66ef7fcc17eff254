import type { BlockId } from '../values/hash.ts';
import type { Mark } from './sink.ts';

/** Messages that are asked for together: a server far away takes as long for one. Each has half a MiB at most. */
const AT_ONCE = 32;

/** Reads what a stream says of its blocks from the end back, each message once, however many blocks are looked for. */
export class BackwardSearch {
  readonly #markAt: (sequence: number) => Promise<Mark | undefined>;
  readonly #first: number;
  #next: number;
  /** The last telling of each block that was passed. */
  readonly #passed = new Map<BlockId, Mark>();

  /** From `last` down to `first`; `markAt` says what a message tells of its place, undefined where there is none. */
  constructor(markAt: (sequence: number) => Promise<Mark | undefined>, first: number, last: number) {
    this.#markAt = markAt;
    this.#first = first;
    this.#next = last;
  }

  /** The mark of the last message about that block; undefined where the stream keeps none. */
  async find(block: BlockId): Promise<Mark | undefined> {
    while (!this.#passed.has(block) && this.#next >= this.#first) await this.#pass();
    return this.#passed.get(block);
  }

  async #pass(): Promise<void> {
    const sequences = Array.from({ length: Math.min(AT_ONCE, this.#next - this.#first + 1) }, (_, k) => this.#next - k);
    const marks = await Promise.all(sequences.map(this.#markAt));
    for (const mark of marks) {
      this.#next--;
      if (mark === undefined || (mark.event !== 'block' && mark.event !== 'operation')) continue;
      if (!this.#passed.has(mark.block)) this.#passed.set(mark.block, mark);
    }
    // The messages about a block follow each other, so those before the last one that was read need not be.
    const oldest = marks.at(-1);
    if (oldest?.event === 'operation' || oldest?.event === 'block')
      this.#next = Math.max(this.#first - 1, this.#next - oldest.message);
  }
}
