import type { PackedBlock } from '../blocks/block.ts';
import type { BlockId } from '../values/hash.ts';

/** What a write changed in the main branch. */
export interface ChainChange {
  /** Blocks that were undone, oldest first. */
  readonly undone: readonly BlockId[];
  /** Blocks that were applied, oldest first; to be read before the next change. */
  readonly applied: Iterable<PackedBlock>;
}

/** The block was already known, or is on a branch that is not the longest. */
export const NO_CHANGE: ChainChange = { undone: [], applied: [] };
