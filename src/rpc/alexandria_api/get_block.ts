import { Type } from '../../jsonrpc/typebox.ts';
import { u32 } from '../../codec/primitives.ts';
import { blockAt, blockRecord, blockRecordOf } from '../../queries/blocks.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';

/** A block by its number. */
export const getBlock = method({
  name: 'alexandria_api.get_block',
  doc: 'The block of that number with its id, its signing key and the ids of its transactions; no member when there is none.',
  params: { num: coded(u32) },
  result: Type.Object({ block: Type.Optional(coded(blockRecord)) }),
  example: { params: { num: 1 } },
  stability: 'stable',
  refuses: prunedRefusals,
  thread: 'read',

  handler({ num }, { rows }) {
    const block = blockAt(rows, num);
    return block === undefined ? {} : { block: blockRecordOf(block) };
  },
});
