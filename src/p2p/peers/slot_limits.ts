import type { Seconds } from '../../values/time.ts';
import type { Environment } from '../environment/environment.ts';

/** The difference that clocks of honest nodes may have (chain_rules.md#block-headers). */
const CLOCK_TOLERANCE_MS = 5000;

/**
 * Returns whether a block's number is above the number of slots so far, however this machine's clock was set back.
 * False where a chain moves its own time.
 */
export function isBeyondSlots(
  { view: { slots }, latestMs }: Pick<Environment, 'view' | 'latestMs'>,
  number: number,
): boolean {
  if (slots === undefined) return false;
  const sinceMs = latestMs() + CLOCK_TOLERANCE_MS - slots.genesisTime * 1000;
  return number > Math.max(0, Math.floor(sinceMs / (slots.intervalSeconds * 1000)));
}

/** Milliseconds until a block of that time may be taken; 0 when it may. */
export function waitForTime({ view: { slots }, clock }: Pick<Environment, 'view' | 'clock'>, time: Seconds): number {
  return slots === undefined ? 0 : Math.max(0, time * 1000 - clock.nowMs() - CLOCK_TOLERANCE_MS);
}
