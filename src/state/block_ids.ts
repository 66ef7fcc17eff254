import type { MutableRows, RowReader } from '../storage/rows.ts';
import { type BlockId, ZERO_HASH160 } from '../values/hash.ts';
import { blockSummaries } from './tables/block_summary.ts';

/** For how many of the newest blocks the ids are known: later blocks overwrite earlier ones. */
export const RECENT_BLOCKS = 65_536;
const PAGE_SLOTS = 32; // rewriting a page costs a block a few microseconds

/** The id of one of the last 65 536 blocks, by its number or its low 16 bits; zero if no such block was written. */
export function getBlockId(rows: RowReader, number: number): BlockId {
  const slot = number % RECENT_BLOCKS;
  return rows.get(blockSummaries, Math.trunc(slot / PAGE_SLOTS))?.block_ids[slot % PAGE_SLOTS] ?? ZERO_HASH160;
}

/** Stores the id of the head block, overwriting the one 65 536 blocks earlier. */
export function noteBlockId(rows: MutableRows, number: number, id: BlockId): void {
  const slot = number % RECENT_BLOCKS;
  const page = Math.trunc(slot / PAGE_SLOTS);
  rows.put(blockSummaries, {
    page,
    block_ids: withItem(rows.get(blockSummaries, page)?.block_ids ?? [], slot % PAGE_SLOTS, id),
  });
}

function withItem(ids: readonly BlockId[], index: number, id: BlockId): BlockId[] {
  const copy = ids.slice();
  while (copy.length < index) copy.push(ZERO_HASH160);
  copy[index] = id;
  return copy;
}
