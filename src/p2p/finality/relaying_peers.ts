import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';

/** A vote reaches all of some hundred nodes in three hops, and each gets it six times at most. */
const PUSHED = 6;
/** A peer with this many untaken bytes gets no votes: by then they are old. */
const BUSY_QUEUE_BYTES = 256 * 1024;

/** Peers that get votes and certificates now, chosen at random, so that nobody can choose whom this node tells. */
export function relayingPeers(
  { randomSource }: Pick<Environment, 'randomSource'>,
  live: readonly Peer[],
  isLacking: (peer: Peer) => boolean,
): Peer[] {
  const left = live.filter(
    (peer) => peer.relaysVotes && peer.channel.queuedBytes <= BUSY_QUEUE_BYTES && isLacking(peer),
  );
  const chosen: Peer[] = [];
  while (chosen.length < PUSHED && left.length > 0) chosen.push(...left.splice(randomSource.roll(left.length), 1));
  return chosen;
}
