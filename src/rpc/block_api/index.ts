import type { Method } from '../method.ts';
import { getAverageBlockSize } from './get_average_block_size.ts';
import { getBlock } from './get_block.ts';
import { getBlockHeader } from './get_block_header.ts';

/** Blocks by their numbers. */
export const blockApi = [getAverageBlockSize, getBlock, getBlockHeader] as const satisfies readonly Method[];
