import { vector } from '../../codec/collections.ts';
import { text, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { method } from '../method.ts';
import { requireNetwork } from './require_network.ts';

const banRecord = struct({ node: text, seconds: u32 });

/** Lists banned nodes and addresses. */
export const getBannedNodes = method({
  name: 'network_node_api.get_banned_nodes',
  doc: 'Ids of nodes and addresses that this node wants nothing of, and for how many seconds more.',
  params: {},
  result: Type.Object({ banned: coded(vector(banRecord)) }),
  example: { params: {} },
  stability: 'experimental',
  forOperator: true,
  thread: 'writer',
  changes: false,
  handler: async (_, call) => ({
    banned: (await requireNetwork(call).bans()).map(({ who, seconds }) => ({ node: who, seconds })),
  }),
});
