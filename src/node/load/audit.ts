import type { BlockReader, WatchedHead } from './block_watch.ts';
import { IdBuckets } from './id_buckets.ts';

/** What became of the transactions that a node had acknowledged, each of them looked up. */
export interface Audit {
  readonly acknowledged: number;
  /** Once, in a block that can't be undone any more. */
  readonly irreversible: number;
  /** Once, in a block that could still be undone. */
  readonly reversible: number;
  /** In no block, but not expired either: it may still come. */
  readonly stillValid: number;
  /** In two blocks. */
  readonly twice: number;
  /** In no block, and expired. */
  readonly lost: number;
  /** Some of the ids that are lost or there twice. */
  readonly examples: readonly string[];
}

const MOST_EXAMPLES = 10;

/** Looks up every acknowledged transaction in the blocks from `first` to the head, after everything is over. */
export async function audit(reader: BlockReader, acknowledged: IdBuckets, first: number): Promise<Audit> {
  const head = await reader.head();
  const inBlocks = new IdBuckets();
  try {
    for (let number = first; number <= head.number; number++) {
      const block = await reader.block(number);
      for (const id of block?.transactionIds ?? []) inBlocks.add(id, number);
    }
    return await compared(reader, acknowledged, inBlocks, head);
  } finally {
    inBlocks.remove();
  }
}

async function compared(reader: BlockReader, acknowledged: IdBuckets, inBlocks: IdBuckets, head: WatchedHead): Promise<Audit> {
  const counts = { irreversible: 0, reversible: 0, stillValid: 0, twice: 0, lost: 0 };
  const examples: string[] = [];
  const blockBuckets = inBlocks.buckets();
  for (const bucket of acknowledged.buckets()) {
    const blocks = blocksById(blockBuckets.next().value ?? []);
    // Blocks that are too large to be sent could not be read; what lies in them is asked for by id.
    const missing = bucket.filter(([id]) => !blocks.has(id)).map(([id]) => id);
    const found = await reader.blocksOf(missing);
    missing.forEach((id, index) => {
      const number = found[index];
      if (number !== undefined) blocks.set(id, [number]);
    });
    for (const [id, expiration] of bucket) {
      const state = stateOf(blocks.get(id) ?? [], expiration, head);
      counts[state]++;
      if ((state === 'lost' || state === 'twice') && examples.length < MOST_EXAMPLES) examples.push(id);
    }
  }
  return { acknowledged: acknowledged.count, ...counts, examples };
}

function stateOf(
  blocks: readonly number[],
  expiration: number,
  { irreversible, time }: WatchedHead,
): Exclude<keyof Audit, 'acknowledged' | 'examples'> {
  const [block] = blocks;
  if (blocks.length > 1) return 'twice';
  if (block === undefined) return expiration > time ? 'stillValid' : 'lost';
  return block <= irreversible ? 'irreversible' : 'reversible';
}

function blocksById(bucket: readonly (readonly [string, number])[]): Map<string, readonly number[]> {
  const blocks = new Map<string, readonly number[]>();
  for (const [id, number] of bucket) blocks.set(id, [...(blocks.get(id) ?? []), number]);
  return blocks;
}
