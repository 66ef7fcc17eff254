import { present } from '../base/assert.ts';
import { blocks } from '../state/tables/block.ts';
import { blockSummaries } from '../state/tables/block_summary.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { BlockId } from '../values/hash.ts';

/** So many blocks make the average. */
const AVERAGED_BLOCKS = 1000;
const SUMMARY_SLOTS = 65_536;

interface BlockSize {
  readonly id: BlockId;
  readonly bytes: number;
}

/** Sizes that were read before, so that a new block costs one read; each state has its own. */
const known = new WeakMap<CommittedRows, Map<number, BlockSize>>();

/**
 * The mean size of the last 1 000 blocks, or of all: packed bytes plus one each, which the original counts by accident,
 * rounded down. 0 before the first block.
 */
export function averageBlockSize(rows: CommittedRows): number {
  const head = rows.only(dynamicGlobalProperties).head_block_number;
  if (head === 0) return 0;
  const first = Math.max(1, head - AVERAGED_BLOCKS + 1);
  const sizes = known.get(rows) ?? new Map<number, BlockSize>();
  known.set(rows, sizes);
  // Downwards until an id is known: what came before it is of the same branch.
  for (let number = head; number >= first && !isKnown(rows, sizes, number); number--) sizes.set(number, readSize(rows, number));
  for (const number of sizes.keys()) if (number < first || number > head) sizes.delete(number);
  let sum = 0;
  for (const { bytes } of sizes.values()) sum += bytes + 1;
  return Math.trunc(sum / sizes.size);
}

function isKnown(rows: CommittedRows, sizes: ReadonlyMap<number, BlockSize>, number: number): boolean {
  const size = sizes.get(number);
  return size !== undefined && size.id === rows.get(blockSummaries, number % SUMMARY_SLOTS)?.block_id;
}

function readSize(rows: CommittedRows, number: number): BlockSize {
  const { id, packed } = present(rows.get(blocks, number), `block ${number}`);
  return { id, bytes: packed.length };
}
