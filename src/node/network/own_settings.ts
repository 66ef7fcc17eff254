import type { NetworkSettings } from '../../p2p/network_settings.ts';
import type { P2pSettings } from './network_messages.ts';

/** What the network goes by, of what the operator has said and who the node is. */
export function networkSettings(settings: P2pSettings, ownId: string, agent: string): NetworkSettings {
  const {
    publicEndpoints: endpoints,
    takesTransactions,
    seeds,
    trusted,
    allowed,
    maxConnections,
    targetPeers,
    exchangesPeers,
    limits,
    poolBytes,
  } = settings;
  const introduction = { agent, endpoints, takesTransactions, wantsStateHashes: trusted.length > 0 };
  return {
    ownId,
    introduction,
    seeds,
    allowed: new Set(allowed),
    trusted: new Set(trusted),
    maxConnections,
    targetPeers,
    exchangesPeers,
    limits,
    poolBytes,
  };
}
