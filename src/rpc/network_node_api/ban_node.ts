import { text } from '../../codec/primitives.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { limitedText } from '../../values/limited_text.ts';
import { method } from '../method.ts';
import { done, requireNetwork, LONGEST_ENDPOINT } from './require_network.ts';
import { refuseNetwork } from './network_refusals.ts';

const { bad_node } = refuseNetwork.texts;

/** Shuts somebody out. */
export const banNode = method({
  name: 'network_node_api.ban_node',
  doc: 'Closes the links with a node, or with all at an address, and lets it in no more for an hour; twice as long each further time, a day at most.',
  params: { node: coded(limitedText(text, LONGEST_ENDPOINT)) },
  result: done,
  example: { params: { node: '203.0.113.7' }, result: {} },
  stability: 'experimental',
  refuses: { bad_node },
  forOperator: true,
  thread: 'writer',
  changes: true,
  handler: async ({ node }, call) => {
    await requireNetwork(call).ban(node);
    return {};
  },
});
