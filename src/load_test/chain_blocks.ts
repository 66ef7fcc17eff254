import type { BlockReader, WatchedHead } from './block_reader.ts';
import { IdBuckets } from './id_buckets.ts';

/** A block that had room for any transaction. */
export interface RoomyBlock {
  readonly number: number;
  /** Seconds since 1970. */
  readonly time: number;
}

/** An upper bound for the size of a block. */
export interface BlockSize {
  readonly number: number;
  readonly mostBytes: number;
  readonly transactions: number;
}

/** The largest transaction that a block takes. */
const LARGEST_BYTES = 8192;

/** The contents of a load's blocks, read after it. */
export interface ChainBlocks {
  readonly head: WatchedHead;
  /** Their transactions, each with the number of its block; on the disk. */
  readonly transactions: IdBuckets;
  /** Their ids, as far as they could be read: one that is too large to be sent could not. */
  readonly ids: ReadonlyMap<number, string>;
  /** Those that certainly had room, in order: some more may have had it. */
  readonly roomy: readonly RoomyBlock[];
  /** In order, as `ids`. */
  readonly sizes: readonly BlockSize[];
  readonly count: number;
  readonly most: number;
}

/**
 * Reads the blocks from that number to the head. `maximumBytes` tells the largest allowed size of each. Whoever gets
 * them removes the transactions.
 */
export async function readBlocks(
  reader: BlockReader,
  first: number,
  maximumBytes: (number: number) => number,
): Promise<ChainBlocks> {
  const head = await reader.head();
  const transactions = new IdBuckets();
  const ids = new Map<number, string>();
  const roomy: RoomyBlock[] = [];
  const sizes: BlockSize[] = [];
  let most = 0;
  try {
    for (let number = first; number <= head.number; number++) {
      const block = await reader.block(number);
      if (block === undefined) continue;
      ids.set(number, block.id);
      sizes.push({ number, mostBytes: block.mostBytes, transactions: block.transactionIds.length });
      if (block.mostBytes + LARGEST_BYTES <= maximumBytes(number)) roomy.push({ number, time: block.time });
      most = Math.max(most, block.transactionIds.length);
      for (const id of block.transactionIds) transactions.add(id, number);
    }
    return { head, transactions, ids, roomy, sizes, count: transactions.count, most };
  } catch (error) {
    transactions.remove();
    throw error;
  }
}
