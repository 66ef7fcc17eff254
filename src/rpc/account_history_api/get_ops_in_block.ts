import { nullable } from '../../codec/nullable.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { u32 } from '../../codec/primitives.ts';
import { historyEntry } from '../../queries/history_entry.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { operationsOfBlockRefusals } from '../block_chunks.ts';
import { cursorMember, cursorParam } from '../cursor.ts';
import { operationLimit, operationsOfBlock, pagesDoc, placeInBlock } from '../operation_pages.ts';
import { method } from '../method.ts';
import { coded, withDefault } from '../../jsonrpc/envelope/params.ts';

/** The operations of a block. */
export const getOpsInBlock = method({
  name: 'account_history_api.get_ops_in_block',
  doc:
    'All operations of a block in their order, those included that the chain itself made; with `only_virtual` only these. Refused by the name `unknown_block` for a block that has not come yet. Block 0 has what was done at genesis. ' +
    pagesDoc,
  params: {
    block_num: coded(u32),
    only_virtual: withDefault(Type.Boolean(), false),
    limit: coded(
      { ...nullable(operationLimit), isOwn: true },
      { default: null, description: 'null for all operations, if they fit into an answer' },
    ),
    cursor: cursorParam(placeInBlock, 'the place of the operation with which the page begins'),
  },
  result: Type.Object({ ops: Type.Array(coded(historyEntry)), cursor: cursorMember(placeInBlock) }),
  example: { params: { block_num: 1, only_virtual: true } },
  stability: 'experimental',
  refuses: { ...prunedRefusals, ...operationsOfBlockRefusals },
  thread: 'read',
  handler(page, call) {
    const { entries, cursor } = operationsOfBlock(call, page);
    return { ops: entries, cursor };
  },
});
