import { text } from '../../codec/primitives.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { limitedText } from '../../values/limited_text.ts';
import { method } from '../method.ts';
import { done, requireNetwork, LONGEST_ENDPOINT } from './require_network.ts';
import { refuseNetwork } from './network_refusals.ts';

const { bad_endpoint } = refuseNetwork.texts;

/** Connects with somebody. */
export const addNode = method({
  name: 'network_node_api.add_node',
  doc: 'Connects with a node from now on, and again whenever the link is lost, until this node stops. The endpoint is host:port, or id@host:port where nobody else is believed to be.',
  params: { endpoint: coded(limitedText(text, LONGEST_ENDPOINT)) },
  result: done,
  example: { params: { endpoint: '203.0.113.7:9290' }, result: {} },
  stability: 'experimental',
  refuses: { bad_endpoint },
  forOperator: true,
  thread: 'writer',
  changes: true,
  handler: async ({ endpoint }, call) => {
    await requireNetwork(call).add(endpoint);
    return {};
  },
});
