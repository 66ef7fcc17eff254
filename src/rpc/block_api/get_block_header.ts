import { readHeader } from '../../blocks/block.ts';
import { blockHeader } from '../../blocks/header.ts';
import { u32 } from '../../codec/primitives.ts';
import { blockRow } from '../../state/stored_blocks.ts';
import { prunedRefusals, requireKept } from '../../queries/pruned.ts';
import { method } from '../method.ts';
import { nullable } from '../../codec/nullable.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The header of a block. */
export const getBlockHeader = method({
  name: 'block_api.get_block_header',
  doc: 'The header of the block of that number, without its signature; null when there is none.',
  params: { block_num: coded(u32) },
  result: coded(nullable(blockHeader)),
  example: { params: { block_num: 1 } },
  stability: 'experimental',
  refuses: prunedRefusals,
  thread: 'read',

  handler({ block_num }, { rows }) {
    const block = blockRow(rows, block_num);
    if (block === undefined) requireKept(rows, block_num);
    return block === undefined ? null : readHeader(block.head);
  },
});
