import { present } from '../base/assert.ts';
import { blockRow } from '../state/stored_blocks.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { RowReader } from '../storage/rows.ts';

/** The number of blocks that are averaged. */
const AVERAGED_BLOCKS = 1000;

/**
 * The mean size of the last 1 000 blocks, or of all if fewer: packed bytes plus one per block, which the lineage counts by accident,
 * rounded down. 0 before the first block.
 */
export function averageBlockSize(rows: RowReader): number {
  const head = rows.only(dynamicGlobalProperties).head_block_number;
  if (head === 0) return 0;
  const first = Math.max(1, head - AVERAGED_BLOCKS + 1);
  const count = head - first + 1;
  return Math.trunc((bytesThrough(rows, head) - bytesThrough(rows, first - 1) + count) / count);
}

/** The bytes of all blocks up to that one; the difference of two is exact as a number. */
function bytesThrough(rows: RowReader, number: number): number {
  if (number === 0) return 0;
  const { bytes_before, packed_size } = present(blockRow(rows, number), `block ${number}`);
  return Number(bytes_before) + packed_size;
}
