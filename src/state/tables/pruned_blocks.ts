import type { ValueOf } from '../../codec/codec.ts';
import { packedBytes, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';

const row = struct({
  /** The first block that is kept; none of those below it is on the disk, but row 0. */
  oldest: u32,
  /** The first kept block when the last scan of histories began. */
  swept: u32,
  /** The key at which the scan of histories continues; empty between two scans. */
  cursor: packedBytes,
});

export type PrunedBlocks = ValueOf<typeof row>;

/**
 * The range of blocks that this node keeps. It is no part of the state: nodes that keep more or less have the same
 * state hash. Written by `chain/prune/pruning.ts`; absent while nothing was pruned.
 */
export const prunedBlocks = table({ name: 'pruned_blocks', value: row, key: {}, column: 'block' });
