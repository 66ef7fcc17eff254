import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../base/fault.ts';
import type { Acknowledged, Acknowledgement } from './acknowledged.ts';
import type { BlockReader, WatchedHead } from './block_reader.ts';
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
  /** In no block, acknowledged as accepted and not as in a block, and the node has ended since: it had promised no more. */
  readonly forgotten: number;
  /** In two blocks. */
  readonly twice: number;
  /** In no block, and expired. */
  readonly lost: number;
  /** Nobody could be asked. */
  readonly unknown: number;
  /** Some of the ids that are lost, forgotten or there twice. */
  readonly examples: readonly string[];
}

/** What can become of one. */
type State = Exclude<keyof Audit, 'acknowledged' | 'examples'>;

const MOST_EXAMPLES = 10;

/** The second of the load in which nobody listened at a node's address for the last time; undefined when somebody always did. */
export type GoneAt = (node: number) => number | undefined;

const NOTHING = { irreversible: 0, reversible: 0, stillValid: 0, forgotten: 0, twice: 0, lost: 0, unknown: 0 };
/** A node that was killed at the end may be starting. */
const PATIENCE_MS = 20_000;
const AGAIN_MS = 500;

/** Looks up every acknowledged transaction in the blocks from `first` to the head, after everything is over. */
export async function audit(reader: BlockReader, acknowledged: Acknowledged, first: number, goneAt: GoneAt): Promise<Audit> {
  const { count } = acknowledged;
  if (count === 0) return { acknowledged: 0, ...NOTHING, examples: [] };
  for (const endMs = performance.now() + PATIENCE_MS; ; await sleep(AGAIN_MS)) {
    try {
      return await lookedUp(reader, acknowledged, first, goneAt);
    } catch (error) {
      if (error instanceof Fault && error.code === 'disk') throw error;
      if (performance.now() > endMs) return { acknowledged: count, ...NOTHING, unknown: count, examples: [] };
    }
  }
}

async function lookedUp(reader: BlockReader, acknowledged: Acknowledged, first: number, goneAt: GoneAt): Promise<Audit> {
  const head = await reader.head();
  const inBlocks = new IdBuckets();
  try {
    for (let number = first; number <= head.number; number++) {
      const block = await reader.block(number);
      for (const id of block?.transactionIds ?? []) inBlocks.add(id, number);
    }
    return await compared(reader, acknowledged, inBlocks, (blocks, said) => stateOf(blocks, said, head, goneAt));
  } finally {
    inBlocks.remove();
  }
}

async function compared(
  reader: BlockReader,
  acknowledged: Acknowledged,
  inBlocks: IdBuckets,
  stateIn: (blocks: readonly number[], said: Acknowledgement) => State,
): Promise<Audit> {
  const counts = { ...NOTHING };
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
    for (const [id, said] of bucket) {
      const state = stateIn(blocks.get(id) ?? [], said);
      counts[state]++;
      if (['lost', 'forgotten', 'twice'].includes(state) && examples.length < MOST_EXAMPLES) examples.push(`${id} ${state}`);
    }
  }
  return { acknowledged: acknowledged.count, ...counts, examples };
}

function stateOf(
  [block, ...others]: readonly number[],
  { expiration, isInBlock, node, second }: Acknowledgement,
  { irreversible, time }: WatchedHead,
  goneAt: GoneAt,
): State {
  if (others.length > 0) return 'twice';
  if (block !== undefined) return block <= irreversible ? 'irreversible' : 'reversible';
  if (!isInBlock && second <= (goneAt(node) ?? -1)) return 'forgotten';
  return expiration > time ? 'stillValid' : 'lost';
}

function blocksById(bucket: readonly (readonly [string, number, ...unknown[]])[]): Map<string, readonly number[]> {
  const blocks = new Map<string, readonly number[]>();
  for (const [id, number] of bucket) blocks.set(id, [...(blocks.get(id) ?? []), number]);
  return blocks;
}
