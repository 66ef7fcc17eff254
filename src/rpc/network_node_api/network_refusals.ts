import { refusals } from '../../base/refusal.ts';

/** What steering the network may be refused for. */
export const refuseNetwork = refusals({
  bad_endpoint: 'host:port or id@host:port expected, got "{endpoint}"',
  bad_node: 'the id of a node (64 hex digits) or an address expected, got "{node}"',
  not_banned: '{node} is not banned',
});
