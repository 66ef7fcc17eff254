import type { PackedBlock } from '../blocks/block.ts';
import type { BlockId } from '../values/hash.ts';

/** What a write changed in the main branch. */
export interface ChainChange {
  /** Blocks that left it, oldest first. */
  readonly undone: readonly BlockId[];
  /** Blocks that are new on it, oldest first; to be read before the next change. */
  readonly applied: Iterable<PackedBlock>;
}

/** A block was known, or is on a branch that is not the longest. */
export const NO_CHANGE: ChainChange = { undone: [], applied: [] };
