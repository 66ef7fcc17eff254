import { present } from '../base/assert.ts';
import { blockRow, oldestBlock } from '../state/stored_blocks.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { RowReader } from '../storage/rows.ts';

/** The number of blocks that are averaged. */
const AVERAGED_BLOCKS = 1000;

/**
 * The mean size of the last 1 000 blocks, or of all that are kept if fewer: packed bytes plus one per block, which the
 * lineage counts by accident, rounded down. 0 before the first block.
 */
export function averageBlockSize(rows: RowReader): number {
  const head = rows.only(dynamicGlobalProperties).head_block_number;
  if (head === 0) return 0;
  const first = Math.max(oldestBlock(rows), head - AVERAGED_BLOCKS + 1);
  const count = head - first + 1;
  const [oldest, newest] = [
    present(blockRow(rows, first), `block ${first}`),
    present(blockRow(rows, head), `block ${head}`),
  ];
  // The difference of the two is exact as a number.
  return Math.trunc((Number(newest.bytes_before - oldest.bytes_before) + newest.packed_size + count) / count);
}
