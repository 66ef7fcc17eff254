import { Type } from '../../jsonrpc/typebox.ts';
import { u32 } from '../../codec/primitives.ts';
import { historyEntry } from '../../queries/history_entry.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { operationsInChunks, replacedRefusals } from '../block_chunks.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';

/** The operations of a block. */
export const getOpsInBlock = method({
  name: 'alexandria_api.get_ops_in_block',
  doc: 'All operations of a block in their order, those included that the chain itself made; with `only_virtual` only these.',
  params: { block_num: coded(u32), only_virtual: Type.Boolean() },
  result: Type.Object({ ops_in_block: Type.Array(coded(historyEntry)) }),
  example: { params: { block_num: 1, only_virtual: false } },
  stability: 'stable',
  refuses: { ...prunedRefusals, ...replacedRefusals },
  thread: 'read',
  handler: ({ block_num, only_virtual }, call) => ({ ops_in_block: operationsInChunks(call, block_num, only_virtual) }),
});
