import { usualLimits, type NetworkSettings } from '../../src/p2p/peers/network_settings.ts';
import { makeNodeId } from './pipes.ts';

/** A node's settings of its network: defaults, and the varied ones. */
export function networkSettings(varied: Partial<NetworkSettings> = {}): NetworkSettings {
  return {
    ownId: makeNodeId('us'),
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
