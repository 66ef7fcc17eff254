import type { BlockId } from '../values/hash.ts';

/** The head and the irreversible block of a chain. */
export interface ChainStanding {
  readonly head: number;
  readonly headId: BlockId;
  /** The last irreversible block. */
  readonly final: number;
}

/**
 * The id that the header of a block of that number gives of the block before it; undefined when the node has no such
 * block.
 */
export type PreviousOf = (number: number) => Promise<BlockId | undefined>;

/** A reference has 16 bits, so an irreversible block that is nearly so far behind may name another block soon. */
const FARTHEST_REFERENCE = 60_000;

/**
 * The id of a block of the main branch; undefined where the node has none of that number, or not the one that follows
 * it.
 */
export async function idOfBlock(
  number: number,
  { head, headId }: Pick<ChainStanding, 'head' | 'headId'>,
  previousOf: PreviousOf,
): Promise<BlockId | undefined> {
  if (number < 1 || number > head) return undefined;
  return number === head ? headId : await previousOf(number + 1);
}

/**
 * The id of the block that a new transaction refers to: the last irreversible one, because a transaction that refers to
 * the head is void for ever when a fork undoes that. The head's where nothing is final yet, or only what is too far
 * behind.
 */
export async function referenceId(standing: ChainStanding, previousOf: PreviousOf): Promise<BlockId> {
  const { head, headId, final } = standing;
  const isNear = head - final <= FARTHEST_REFERENCE;
  return (isNear ? await idOfBlock(final, standing, previousOf) : undefined) ?? headId;
}
