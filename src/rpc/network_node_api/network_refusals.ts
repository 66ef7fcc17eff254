import { refusals } from '../../base/refusal.ts';

/** Refusals of orders to the network. */
export const refuseNetwork = refusals({
  bad_endpoint: 'host:port or id@host:port expected, got "{endpoint}"',
  bad_node: 'the id of a node (64 hex digits) or an address expected, got "{node}"',
  not_banned: '{node} is not banned',
});
