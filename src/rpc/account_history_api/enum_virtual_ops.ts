import { u32 } from '../../codec/primitives.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { historyEntry } from '../../queries/history_entry.ts';
import { prunedRefusals } from '../../queries/pruned.ts';
import { replacedRefusals } from '../block_chunks.ts';
import { cursorMember, cursorParam } from '../cursor.ts';
import { virtualKindName } from '../kind_name.ts';
import { method } from '../method.ts';
import { operationLimit } from '../operation_pages.ts';
import { MOST_PARTS, placeOnChain, virtualOperations } from '../virtual_operations.ts';

/** Lists virtual operations. */
export const enumVirtualOps = method({
  name: 'account_history_api.enum_virtual_ops',
  doc: `Virtual operations of the blocks from block_range_begin up to block_range_end, the latter not included, in the order of the chain. A call reads at most ${MOST_PARTS} blocks, or parts of 16 KiB of larger ones, so a page may be short or empty, and its \`cursor\` goes on. Blocks that do not exist yet belong to the rest.`,
  params: {
    block_range_begin: coded(u32),
    block_range_end: coded(u32),
    filter: Type.Optional(
      Type.Array(coded(virtualKindName), {
        minItems: 1,
        maxItems: 100,
        description: 'only operations of these kinds, such as producer_reward',
      }),
    ),
    limit: coded(operationLimit, { default: 1000 }),
    cursor: cursorParam(placeOnChain, 'the place of the operation with which the page begins'),
  },
  result: Type.Object({ ops: Type.Array(coded(historyEntry)), cursor: cursorMember(placeOnChain) }),
  example: { params: { block_range_begin: 1, block_range_end: 2, filter: ['producer_reward'], limit: 10 } },
  stability: 'experimental',
  refuses: { ...prunedRefusals, ...replacedRefusals },
  weight: { call: 200 },
  thread: 'read',

  handler(search, call) {
    const { entries, cursor } = virtualOperations(call, search);
    return { ops: entries, cursor };
  },
});
