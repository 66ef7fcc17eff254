import type { Seconds } from '../values/time.ts';
import type { Outside } from './outside.ts';

/** How far clocks of honest nodes may differ (chain.md 5.5). */
const CLOCK_TOLERANCE_MS = 5000;

/** Whether there can't be so many blocks yet, however this machine's clock was set back. Where a chain moves its own time, nobody can tell. */
export function isBeyondSlots({ view: { slots }, latestMs }: Pick<Outside, 'view' | 'latestMs'>, number: number): boolean {
  if (slots === undefined) return false;
  const sinceMs = latestMs() + CLOCK_TOLERANCE_MS - slots.genesisTime * 1000;
  return number > Math.max(0, Math.floor(sinceMs / (slots.intervalSeconds * 1000)));
}

/** How long until a block of that time may be taken, in milliseconds; 0 when it may. */
export function waitForTime({ view: { slots }, clock }: Pick<Outside, 'view' | 'clock'>, time: Seconds): number {
  return slots === undefined ? 0 : Math.max(0, time * 1000 - clock.nowMs() - CLOCK_TOLERANCE_MS);
}
