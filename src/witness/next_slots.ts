import type { Clock } from '../base/clock.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Seconds } from '../values/time.ts';
import type { Producer, ProductionView } from './produce.ts';

/** The longest round; what comes behind it is shuffled anew. */
const MOST_SLOTS_AHEAD = 255;

/** When each witness of a node has its next slot, as far as the head's schedule goes. */
export function findNextSlots(
  chain: Pick<ProductionView, 'findProductionSlot' | 'slotTime'>,
  { witnesses }: Pick<Producer, 'witnesses'>,
  clock: Clock,
): ReadonlyMap<AccountName, Seconds> {
  const next = new Map<AccountName, Seconds>();
  const now = clock.nowMs() / 1000;
  const from = chain.slotTime(1) > now ? chain.slotTime(1) : now;
  const interval = chain.slotTime(2) - chain.slotTime(1);
  for (let slot = 0; slot < MOST_SLOTS_AHEAD && next.size < witnesses.size; slot++) {
    const scheduled = chain.findProductionSlot(Math.trunc(from) + slot * interval);
    if (scheduled === undefined || !witnesses.has(scheduled.witness) || next.has(scheduled.witness)) continue;
    if (scheduled.timestamp > now) next.set(scheduled.witness, scheduled.timestamp);
  }
  return next;
}
