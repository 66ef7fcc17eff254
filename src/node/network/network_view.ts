import type { Lane } from '../../p2p/lanes.ts';
import type { Network } from '../../p2p/network.ts';
import type { Peer } from '../../p2p/peer.ts';
import type { PeerDescription } from '../../rpc/services.ts';
import { ZERO_HASH160 } from '../../values/hash.ts';
import type { NetworkFigures } from './network_messages.ts';

/** What a network has counted. */
export function figuresOf(
  { connections, sync, standing, gate, pool, transactions, alives }: Network,
  threadDelaySeconds: number,
): NetworkFigures {
  const { received, sent, queued: queuedBytes } = connections.traffic();
  const { bundles, offences, bans, shortIds } = connections.counts;
  return {
    ...{ received, sent, queuedBytes, aheadBytes: sync.aheadBytes },
    ...{ bundles: { ...bundles }, offences: { ...offences }, bans, refusedHandshakes: gate.refused },
    awaitedBundles: transactions.fetches,
    aliveWitnesses: alives.kept,
    shortIds: { ...shortIds },
    pool: { transactions: pool.count, waitingBytes: pool.bytes, includedBytes: pool.includedBytes },
    delays: connections.counts.takeDelays(),
    rebuiltMs: connections.counts.takeRebuiltMs(),
    work: { ...connections.counts.work },
    clockAheadMs: standing.clockDifferenceMs,
    threadDelaySeconds,
  };
}

/** A peer as its operator sees it. */
export function describedPeer(peer: Peer, nowMs: number): PeerDescription {
  const { id, pipe, hello, status, pingMs = -1, score, channel, sinceMs, deliveries } = peer;
  const sum = (bytes: Readonly<Record<Lane, number>>): number => bytes[0] + bytes[1] + bytes[2] + bytes[3];
  return {
    ...{ id, host: pipe.address.host, port: pipe.address.port, isInbound: pipe.isInbound, agent: hello?.agent ?? '' },
    ...{ headNumber: status?.head_number ?? 0, irreversibleNumber: status?.irreversible_number ?? 0 },
    ...{ irreversibleId: status?.irreversible_id ?? ZERO_HASH160 },
    ...{ pingMs: Math.round(pingMs) },
    ...{ score: Math.round(score.at(nowMs)), blocksDelivered: deliveries, connectedSeconds: Math.trunc((nowMs - sinceMs) / 1000) },
    ...{ receivedBytes: sum(channel.receivedBytes), sentBytes: sum(channel.sentBytes), queuedBytes: channel.queuedBytes },
  };
}
