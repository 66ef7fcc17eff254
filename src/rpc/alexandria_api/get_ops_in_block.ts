import { nullable } from '../../codec/nullable.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { u32 } from '../../codec/primitives.ts';
import { historyEntry } from '../../queries/history_entry.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { operationsOfBlockRefusals } from '../block_chunks.ts';
import { cursorMember, cursorParam } from '../cursor.ts';
import { operationLimit, operationsOfBlock, pagesDoc, placeInBlock } from '../operation_pages.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The operations of a block. */
export const getOpsInBlock = method({
  name: 'alexandria_api.get_ops_in_block',
  doc:
    'All operations of a block in their order, those included that the chain itself made; with `only_virtual` only these. Refused by the name `unknown_block` for a block that has not come yet. ' +
    pagesDoc,
  params: {
    block_num: coded(u32),
    only_virtual: Type.Boolean(),
    limit: coded(
      { ...nullable(operationLimit), isOwn: true },
      { default: null, description: 'null for all operations, if they fit into an answer' },
    ),
    cursor: cursorParam(placeInBlock, 'the place of the operation with which the page begins'),
  },
  result: Type.Object({ ops_in_block: Type.Array(coded(historyEntry)), cursor: cursorMember(placeInBlock) }),
  example: { params: { block_num: 1, only_virtual: false } },
  stability: 'stable',
  refuses: { ...prunedRefusals, ...operationsOfBlockRefusals },
  thread: 'read',
  handler(page, call) {
    const { entries, cursor } = operationsOfBlock(call, page);
    return { ops_in_block: entries, cursor };
  },
});
