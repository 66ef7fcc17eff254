import type { BlockId } from '../values/hash.ts';

const MOST_BYTES = 64 * 1024 * 1024; // one of the largest, or some hundred full ones

/** Packed blocks that peers will ask for next, so that each is read from the disk once. */
export class RecentBlocks {
  readonly #blocks = new Map<BlockId, Uint8Array>();
  #bytes = 0;

  get(id: BlockId): Uint8Array | undefined {
    return this.#blocks.get(id);
  }

  put(id: BlockId, packed: Uint8Array): void {
    if (this.#blocks.has(id)) return;
    this.#blocks.set(id, packed);
    this.#bytes += packed.length;
    for (const [oldest, { length }] of this.#blocks) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#blocks.delete(oldest);
      this.#bytes -= length;
    }
  }
}
