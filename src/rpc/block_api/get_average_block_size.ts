import { u32 } from '../../codec/primitives.ts';
import { averageBlockSize } from '../../queries/block_sizes.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The average size of blocks. */
export const getAverageBlockSize = method({
  name: 'block_api.get_average_block_size',
  doc: 'The mean size of the last 1 000 blocks in bytes, rounded down; of all that the node keeps, where it keeps fewer.',
  params: {},
  result: coded(u32),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { rows }) => averageBlockSize(rows),
});
