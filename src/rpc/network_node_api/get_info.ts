import { u16, u32, text } from '../../codec/primitives.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { method } from '../method.ts';
import { requireNetwork } from './require_network.ts';

/** Returns the node's identity to its peers, and its state beside them. */
export const getInfo = method({
  name: 'network_node_api.get_info',
  doc: 'The id of this node, the port where it lets peers in (0 for none), how many there are, and how many blocks they have that it has not. `sync` is alone, behind, live, or contested when peers have another irreversible block.',
  params: {},
  result: Type.Object({
    node_id: coded(text),
    listening_on: coded(u16),
    connection_count: coded(u32),
    sync: coded(text),
    blocks_behind: coded(u32),
  }),
  example: { params: {} },
  stability: 'experimental',
  forOperator: true,
  thread: 'writer',
  changes: false,
  handler: async (_, call) => {
    const { id, listensOn, peers, sync, behindBy } = await requireNetwork(call).describe();
    return { node_id: id, listening_on: listensOn, connection_count: peers, sync, blocks_behind: behindBy };
  },
});
