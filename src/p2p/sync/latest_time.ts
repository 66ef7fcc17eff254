import type { Clock } from '../../base/clock.ts';

/**
 * The latest that it can be, in milliseconds since 1970: what the clock shows, or would show if nobody had set it back.
 * What a peer says must not become a lie because the clock of this machine was set.
 */
export function latestTime(clock: Clock): () => number {
  let aheadMs = -Infinity;
  const latestMs = (): number => {
    const elapsedMs = clock.elapsedMs();
    aheadMs = Math.max(aheadMs, clock.nowMs() - elapsedMs);
    return elapsedMs + aheadMs;
  };
  latestMs();
  return latestMs;
}
