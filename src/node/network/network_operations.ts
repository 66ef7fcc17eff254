import { parseTarget } from '../../wire/addresses.ts';
import { refuseNetwork } from '../../rpc/network_node_api/network_refusals.ts';
import type { NetworkOperations } from '../../rpc/services.ts';
import type { NetworkClient } from './network_client.ts';
import type { NetworkView } from './network_messages.ts';
import type { NetworkRecord } from './network_record.ts';

const NODE_ID = /^[0-9a-f]{64}$/;
const ADDRESS = /^[0-9a-f:.]{2,45}$/i;

export interface NetworkOperationsParts {
  /** Until the network has begun, orders wait. */
  readonly network: Promise<Pick<NetworkClient, 'opened' | 'order'>>;
  readonly record: Pick<NetworkRecord, 'state'>;
}

/** The operator's methods about the network, carried out by its thread. */
export function networkOperations({ network, record }: NetworkOperationsParts): NetworkOperations {
  const order = async (...args: Parameters<NetworkClient['order']>): Promise<NetworkView> =>
    await (await network).order(...args);
  return {
    describe: async () => {
      const { id, listensOn } = await (await network).opened();
      const { peers } = await order({ kind: 'show' });
      const { sync = 'alone', behindBy = 0 } = record.state ?? {};
      return { id, listensOn: listensOn ?? 0, peers: peers.length, sync, behindBy };
    },
    peers: async () => (await order({ kind: 'show' })).peers,
    bans: async () => (await order({ kind: 'show' })).bans,
    add: async (endpoint) => {
      const target = parseTarget(endpoint) ?? refuseNetwork.bad_endpoint({ endpoint });
      await order({ kind: 'add', target });
    },
    ban: async (who) => {
      await order({ kind: 'ban', who: named(who) });
    },
    unban: async (who) => {
      const { isDone } = await order({ kind: 'unban', who: named(who) });
      if (!isDone) refuseNetwork.not_banned({ node: who });
    },
  };
}

function named(text: string): string {
  const who = text.toLowerCase();
  return NODE_ID.test(who) || ADDRESS.test(who) ? who : refuseNetwork.bad_node({ node: text });
}
