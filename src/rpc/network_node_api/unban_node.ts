import { text } from '../../codec/primitives.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { limitedText } from '../../values/limited_text.ts';
import { method } from '../method.ts';
import { done, requireNetwork, LONGEST_ENDPOINT } from './require_network.ts';
import { refuseNetwork } from './network_refusals.ts';

const { bad_node, not_banned } = refuseNetwork.texts;

/** Lets somebody in again. */
export const unbanNode = method({
  name: 'network_node_api.unban_node',
  doc: 'Takes a ban back.',
  params: { node: coded(limitedText(text, LONGEST_ENDPOINT)) },
  result: done,
  example: { params: { node: '203.0.113.7' }, result: {} },
  stability: 'experimental',
  refuses: { bad_node, not_banned },
  forOperator: true,
  thread: 'writer',
  changes: true,
  handler: async ({ node }, call) => {
    await requireNetwork(call).unban(node);
    return {};
  },
});
