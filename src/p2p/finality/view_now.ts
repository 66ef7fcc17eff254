import { slotNumber } from '../../values/time.ts';
import type { Environment } from '../environment/environment.ts';

/** The view of this moment; undefined on a chain that moves its own time. */
export function viewNow({ view: { slots }, clock }: Pick<Environment, 'view' | 'clock'>): number | undefined {
  return slots === undefined ? undefined : slotNumber(clock.nowMs() / 1000, slots.intervalSeconds);
}
