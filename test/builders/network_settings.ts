import { usualLimits, type NetworkSettings } from '../../src/p2p/peers/network_settings.ts';
import { nodeIdOf } from './pipes.ts';

/** What a node is told of its network: what holds unless said otherwise, and what a test varies. */
export function networkSettings(varied: Partial<NetworkSettings> = {}): NetworkSettings {
  return {
    ownId: nodeIdOf('us'),
    introduction: { agent: 'pharos/test', endpoints: [], takesTransactions: true },
    seeds: [],
    trusted: new Set(),
    allowed: new Set(),
    maxConnections: 40,
    targetPeers: 8,
    exchangesPeers: true,
    limits: usualLimits,
    poolBytes: 64 * 1024 * 1024,
    ...varied,
  };
}
