import type { Method } from '../method.ts';
import { getAverageBlockSize } from './get_average_block_size.ts';
import { getBlock } from './get_block.ts';
import { getBlockHeader } from './get_block_header.ts';
import { getBlockRange } from './get_block_range.ts';
import { getFinality } from './get_finality.ts';
import { getFinalityProof } from './get_finality_proof.ts';
import { getTransactionProof } from './get_transaction_proof.ts';

/** Blocks by their numbers, and what proves that they are final. */
export const blockApi = [
  getAverageBlockSize,
  getBlock,
  getBlockHeader,
  getBlockRange,
  getFinality,
  getFinalityProof,
  getTransactionProof,
] as const satisfies readonly Method[];
