import type { BlockId } from '../../values/hash.ts';

/** A block as it is given to others. */
export interface ServedBlock {
  readonly packed: Uint8Array;
  /** As a message that names its transactions; undefined when it was taken as a whole. */
  readonly compact?: Uint8Array | undefined;
  /** The start of each of its transactions, and the end of the last one. */
  readonly bounds?: Uint32Array | undefined;
}

const MOST_BYTES = 64 * 1024 * 1024; // one of the largest, or some hundred full ones

/** Packed blocks that peers will ask for next, so that each is read from the disk once. */
export class RecentBlocks {
  readonly #blocks = new Map<BlockId, ServedBlock>();
  #bytes = 0;

  get(id: BlockId): ServedBlock | undefined {
    return this.#blocks.get(id);
  }

  put(id: BlockId, block: ServedBlock): void {
    const before = this.#blocks.get(id);
    if (before !== undefined) this.#remove(id, before);
    this.#blocks.set(id, block);
    this.#bytes += servedSize(block);
    for (const [oldest, one] of this.#blocks) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#remove(oldest, one);
    }
  }

  #remove(id: BlockId, block: ServedBlock): void {
    this.#blocks.delete(id);
    this.#bytes -= servedSize(block);
  }
}

function servedSize({ packed, compact, bounds }: ServedBlock): number {
  return packed.length + (compact?.length ?? 0) + (bounds?.byteLength ?? 0);
}
