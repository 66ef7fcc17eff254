import type { StatedBlock } from '../../blocks/finality/vote.ts';
import type { Voters } from '../../blocks/finality/voters.ts';
import type { BlockId } from '../../values/hash.ts';

/** A block with its slot, counted from 1970 on. */
export interface BlockPlace {
  readonly id: BlockId;
  readonly slot: number;
}

/** The chain as the finality machine sees it. The genesis is block 0, whose id is zero. */
export interface FinalityChain {
  /** The last applied block of the main branch. */
  readonly head: BlockPlace;
  /**
   * The ancestor of a block by number, the block itself included, on whichever branch it is. Undefined for an unknown
   * block, for a number above the block's, and for numbers below the start of the last epoch that began where this node
   * has forgotten them.
   */
  getAncestor(id: BlockId, number: number): BlockId | undefined;
  /** The slot of a block of the main branch, by number; 0 for the genesis. */
  blockSlot(number: number): number;
  /** The statement of votes about a block of the main branch, by number, up to the head. */
  statedAt(number: number): StatedBlock;
  /**
   * The voters of an epoch as the main branch has recorded them; undefined before its boundary is applied, and for old
   * epochs.
   */
  votersOf(epoch: number): Voters | undefined;
}
