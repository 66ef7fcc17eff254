import type { Peer } from './peer.ts';

/** Fewer peers may all be wrong together. */
const LEAST_PEERS = 5;

/** By how much the clocks of peers that we have chosen are ahead of ours, in the middle; undefined when there are too few to tell. */
export function clockDifferenceMs(peers: readonly Peer[]): number | undefined {
  const ahead = peers.flatMap(({ pipe, clockAheadMs }) => (pipe.isInbound || clockAheadMs === undefined ? [] : [clockAheadMs]));
  return ahead.length < LEAST_PEERS ? undefined : ahead.toSorted((a, b) => a - b)[ahead.length >> 1];
}
