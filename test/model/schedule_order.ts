import { byName } from './names.ts';
import type { Witness } from './records.ts';
import type { State } from './state.ts';

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** votes↓, owner↑ */
export function byVoteName(state: State): Witness[] {
  return [...state.witnesses.values()].sort((a, b) => compare(b.votes, a.votes) || byName(a.owner, b.owner));
}

/** virtual_scheduled_time↑, id↑ */
export function byScheduleTime(state: State): Witness[] {
  return [...state.witnesses.values()].sort(
    (a, b) => compare(a.virtualScheduledTime, b.virtualScheduledTime) || a.id - b.id,
  );
}
