import type { Method } from '../method.ts';
import { addNode } from './add_node.ts';
import { banNode } from './ban_node.ts';
import { getBannedNodes } from './get_banned_nodes.ts';
import { getConnectedPeers } from './get_connected_peers.ts';
import { getInfo } from './get_info.ts';
import { unbanNode } from './unban_node.ts';

/** The network as its operator sees and steers it; served where there is one, to programs of the node's own machine. */
export const networkNodeApi = [
  getInfo,
  getConnectedPeers,
  getBannedNodes,
  addNode,
  banNode,
  unbanNode,
] as const satisfies readonly Method[];
