import type { Peer } from '../peers/peer.ts';

/** Fewer may all be wrong together. */
const LEAST_VOICES = 5;

/**
 * By how much the clocks of these peers, one for each voice, are ahead of ours, in the middle; undefined when there are
 * too few to tell.
 */
export function clockDifferenceMs(speakers: readonly Pick<Peer, 'clockAheadMs'>[]): number | undefined {
  const known = sortedDifferences(speakers);
  return known.length < LEAST_VOICES ? undefined : median(known);
}

/** The same for a witness that has few of them; undefined without any. */
export function medianClockAheadMs(speakers: readonly Pick<Peer, 'clockAheadMs'>[]): number | undefined {
  return median(sortedDifferences(speakers));
}

function sortedDifferences(speakers: readonly Pick<Peer, 'clockAheadMs'>[]): number[] {
  return speakers.flatMap(({ clockAheadMs }) => clockAheadMs ?? []);
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
