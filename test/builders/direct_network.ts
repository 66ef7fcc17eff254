import { NetworkClient } from '../../src/node/network/network_client.ts';
import { NetworkHost } from '../../src/node/network/network_host.ts';
import type { FromNetwork, ToNetwork } from '../../src/node/network/network_messages.ts';
import { networkOperations } from '../../src/node/network/network_operations.ts';
import { NetworkRecord } from '../../src/node/network/network_record.ts';
import type { NetworkOperations } from '../../src/rpc/services.ts';
import { usualLimits } from '../../src/p2p/peers/network_settings.ts';
import { RandomSource } from './random_source.ts';
import { directPorts } from '../../src/system/direct_ports.ts';
import { HandClock } from './hand_clock.ts';
import { makeNodeId } from './pipes.ts';
import { silentLog, StillChain } from './still_chain.ts';

/** Plays the operator on a network in this thread that reaches nobody. */
export function directNetwork(): NetworkOperations {
  const [near, far] = directPorts<FromNetwork, ToNetwork>();
  const record = new NetworkRecord();
  const client = new NetworkClient(near, {
    blocks: {
      submit: async () => await Promise.resolve([]),
      judge: async () => await Promise.resolve({ kind: 'known' }),
      verifyPacked: async () => await Promise.resolve([]),
      submitVerified: async () => await Promise.resolve([]),
    },
    transactions: { submit: async () => await Promise.resolve([]) },
    takeAlive: async () => await Promise.resolve(false),
    told: (state) => record.take(state),
    failed: () => undefined,
    standbySwitch: () => undefined,
    heardVotes: () => undefined,
    end: async () => await Promise.resolve(),
  });
  const host = new NetworkHost({
    settings: {
      ...{
        endpoint: { host: '127.0.0.1', port: 0 },
        publicEndpoints: [],
        seeds: [],
        trusted: [],
        allowed: [],
        maxConnections: 40,
        targetPeers: 8,
      },
      ...{
        exchangesPeers: true,
        takesTransactions: true,
        syncRate: 1024 * 1024,
        limits: usualLimits,
        poolBytes: 1024 * 1024,
      },
    },
    ...{ ownId: makeNodeId('us'), agent: 'pharos/test', checkpoint: 0, mayBePrivate: true },
    ...{
      clock: new HandClock(3_000_000),
      randomSource: new RandomSource(1),
      log: silentLog,
      view: new StillChain(900),
    },
    relaysVotes: false,
    links: {
      listen: async () => await Promise.resolve(9290),
      dial: () => undefined,
      close: async () => await Promise.resolve(),
    },
    files: { peers: () => ({ book: [], bans: [], anchors: [] }), keep: () => undefined, confirmed: () => undefined },
    front: far,
    votes: () => [],
    takeDelaySeconds: () => 0,
  });
  void host.start();
  return networkOperations({ network: Promise.resolve(client), record });
}
