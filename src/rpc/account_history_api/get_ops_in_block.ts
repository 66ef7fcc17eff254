import { Type } from '../../jsonrpc/typebox.ts';
import { u32 } from '../../codec/primitives.ts';
import { historyEntry } from '../../queries/history_entry.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { operationsInChunks, replacedRefusals } from '../block_chunks.ts';
import { method } from '../method.ts';
import { coded, withDefault } from '../../jsonrpc/params.ts';

/** The operations of a block. */
export const getOpsInBlock = method({
  name: 'account_history_api.get_ops_in_block',
  doc: 'All operations of a block in their order, those included that the chain itself made; with `only_virtual` only these. Block 0 has what was done at genesis.',
  params: { block_num: coded(u32), only_virtual: withDefault(Type.Boolean(), false) },
  result: Type.Object({ ops: Type.Array(coded(historyEntry)) }),
  example: { params: { block_num: 1, only_virtual: true } },
  stability: 'experimental',
  refuses: { ...prunedRefusals, ...replacedRefusals },
  thread: 'read',
  handler: ({ block_num, only_virtual }, call) => ({ ops: operationsInChunks(call, block_num, only_virtual) }),
});
