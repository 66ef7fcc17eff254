import { u32 } from '../../codec/primitives.ts';

import { blockRecord } from '../../queries/blocks.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { blockInPieces, replacedRefusals } from '../block_chunks.ts';
import { method } from '../method.ts';
import { nullable } from '../../codec/nullable.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** A block by its number. */
export const getBlock = method({
  name: 'block_api.get_block',
  doc: 'The block of that number with its id, its signing key and the ids of its transactions; null when there is none.',
  params: { block_num: coded(u32) },
  result: coded(nullable(blockRecord)),
  example: { params: { block_num: 1 } },
  stability: 'experimental',
  refuses: { ...prunedRefusals, ...replacedRefusals },
  thread: 'read',

  handler: ({ block_num }, call) => blockInPieces(call, block_num) ?? null,
});
