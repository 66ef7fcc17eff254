import type { Peer } from './peer.ts';

/** Fewer peers may all be wrong together. */
const LEAST_PEERS = 5;

/** By how much the clocks of peers that we have chosen are ahead of ours, in the middle; undefined when there are too few to tell. */
export function clockDifferenceMs(peers: readonly Peer[]): number | undefined {
  const ahead = peers.flatMap(({ pipe, clockAheadMs }) => (pipe.isInbound || clockAheadMs === undefined ? [] : [clockAheadMs]));
  return ahead.length < LEAST_PEERS ? undefined : medianOf(ahead);
}

/** The same for a witness that has few peers: of those that we have chosen, else of all; undefined without any. */
export function medianClockAheadMs(peers: readonly Peer[]): number | undefined {
  const known = peers.filter(({ clockAheadMs }) => clockAheadMs !== undefined);
  const chosen = known.filter(({ pipe }) => !pipe.isInbound);
  return medianOf((chosen.length > 0 ? chosen : known).flatMap(({ clockAheadMs }) => clockAheadMs ?? []));
}

function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
