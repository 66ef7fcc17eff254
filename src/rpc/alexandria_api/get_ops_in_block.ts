import { Type } from '../../jsonrpc/typebox.ts';
import { u32 } from '../../codec/primitives.ts';
import { vector } from '../../codec/collections.ts';
import { BlockOperations, historyEntry } from '../../queries/history_entry.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';

/** The operations of a block. */
export const getOpsInBlock = method({
  name: 'alexandria_api.get_ops_in_block',
  doc: 'All operations of a block in their order, those included that the chain itself made; with `only_virtual` only these.',
  params: { block_num: coded(u32), only_virtual: Type.Boolean() },
  result: Type.Object({ ops_in_block: coded(vector(historyEntry)) }),
  example: { params: { block_num: 1, only_virtual: false } },
  stability: 'stable',
  refuses: prunedRefusals,
  thread: 'read',
  handler: ({ block_num, only_virtual }, { rows }) => ({ ops_in_block: new BlockOperations(rows, block_num).all(only_virtual) }),
});
