import type { PackedBlock } from '../../blocks/block.ts';
import type { BlockId } from '../../values/hash.ts';

/** A change of the main branch by one write. */
export interface ChainChange {
  /** Blocks that were undone, oldest first. */
  readonly undone: readonly BlockId[];
  /** Blocks that were applied, oldest first; to be read before the next change. */
  readonly applied: Iterable<PackedBlock>;
}

/** The block was already known, or is on a branch that is not the longest. */
export const NO_CHANGE: ChainChange = { undone: [], applied: [] };
/** Blocks became final, and the main branch is what it was. */
export const FINALITY_ALONE: ChainChange = { undone: [], applied: [] };
