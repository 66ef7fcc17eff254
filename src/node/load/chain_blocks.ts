import type { BlockReader, WatchedHead } from './block_reader.ts';
import { IdBuckets } from './id_buckets.ts';

/** What the blocks of a load hold, read after it. */
export interface ChainBlocks {
  readonly head: WatchedHead;
  /** Their transactions, each with the number of its block; on the disk. */
  readonly transactions: IdBuckets;
  /** Their ids, as far as they could be read: one that is too large to be sent could not. */
  readonly ids: ReadonlyMap<number, string>;
  readonly count: number;
  readonly most: number;
}

/** Reads the blocks from that number to the head. Whoever gets them removes the transactions. */
export async function readBlocks(reader: BlockReader, first: number): Promise<ChainBlocks> {
  const head = await reader.head();
  const transactions = new IdBuckets();
  const ids = new Map<number, string>();
  let most = 0;
  try {
    for (let number = first; number <= head.number; number++) {
      const block = await reader.block(number);
      if (block === undefined) continue;
      ids.set(number, block.id);
      most = Math.max(most, block.transactionIds.length);
      for (const id of block.transactionIds) transactions.add(id, number);
    }
    return { head, transactions, ids, count: transactions.count, most };
  } catch (error) {
    transactions.remove();
    throw error;
  }
}
