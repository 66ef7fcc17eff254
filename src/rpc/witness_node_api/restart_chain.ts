import { u32 } from '../../codec/primitives.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { method } from '../method.ts';
import { requireProduction } from './require_production.ts';

/** Has a stopped chain go on, as a last resort. */
export const restartChain = method({
  name: 'witness_node_api.restart_chain',
  doc: 'The last resort when a chain has stopped: for 200 blocks this node produces however few slots are filled, and although its head is old; the usual participation is required again from `until_block` on. If another part of the network goes on by itself, the chain splits.',
  params: {},
  result: Type.Object({ until_block: coded(u32) }),
  example: { params: {} },
  stability: 'experimental',
  forOperator: true,
  thread: 'writer',
  changes: true,
  handler: async (_, call) => ({ until_block: await requireProduction(call).restartChain() }),
});
