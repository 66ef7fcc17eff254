import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { u32 } from '../../codec/primitives.ts';
import { blockRecord } from '../../queries/blocks.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { blockInPieces, replacedRefusals } from '../block_chunks.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** A block by its number. */
export const getBlock = method({
  name: 'alexandria_api.get_block',
  doc: 'The block of that number with its id, its signing key and the ids of its transactions; no member when there is none.',
  params: { num: coded(u32) },
  result: Type.Object({ block: Type.Optional(coded(blockRecord)) }),
  example: { params: { num: 1 } },
  stability: 'stable',
  refuses: { ...prunedRefusals, ...replacedRefusals },
  thread: 'read',

  handler({ num }, call) {
    const block = blockInPieces(call, num);
    return block === undefined ? {} : { block };
  },
});
