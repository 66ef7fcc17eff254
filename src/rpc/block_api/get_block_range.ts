import type { Codec } from '../../codec/codec.ts';
import { describeInteger, integerFromJson, u32 } from '../../codec/primitives.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { blockRecord } from '../../queries/blocks.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { blockRangeInPieces, RANGE_MIB, replacedRefusals } from '../block_chunks.ts';
import { method } from '../method.ts';

/** Blocks of one answer: empty ones take about a megabyte. */
const MOST_BLOCKS = 1000;

const blockCount: Codec<number, number> = {
  ...u32,
  fromJson: (json) => Number(integerFromJson(json, 1n, BigInt(MOST_BLOCKS))),
  describe: (encoding) => describeInteger(1n, BigInt(MOST_BLOCKS), encoding),
};

const blockCursor = Type.Optional(
  coded(u32, { description: 'the number of the next block: starting_block_num of the next call' }),
);

/** Consecutive blocks. */
export const getBlockRange = method({
  name: 'block_api.get_block_range',
  doc: `Consecutive blocks from starting_block_num on, as get_block shows them: at most \`count\`, and no more than ${RANGE_MIB} MiB of packed blocks, but one at least. \`cursor\` is the number of the block behind them, from which the next call goes on; the chain may not have it yet.`,
  params: { starting_block_num: coded(u32), count: coded(blockCount) },
  result: Type.Object({ blocks: Type.Array(coded(blockRecord)), cursor: blockCursor }),
  example: { params: { starting_block_num: 1, count: 2 } },
  stability: 'experimental',
  refuses: { ...prunedRefusals, ...replacedRefusals },
  thread: 'read',
  handler: ({ starting_block_num, count }, call) => blockRangeInPieces(call, starting_block_num, count),
});
