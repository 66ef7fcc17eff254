import type { CommittedState } from '../../queries/committed_state.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import type { AccountName } from '../../values/account_name.ts';

/** A round of the full schedule. Each of its slots is another witness's, so filled slots count the producers. */
export const ROUND_SLOTS = 51;
/** 76 % of a round: with fewer producers a chain dies out within hours. */
export const ENOUGH_SLOTS = 39;

/** The results of the last round. */
export interface LastRound {
  /** The number of the last 51 slots that have a block. */
  readonly filledSlots: number;
  /** The witnesses of the running round. */
  readonly scheduled: readonly AccountName[];
  /** Those of them that have made no block in the slots of two rounds, in which each has one at least. */
  readonly silent: readonly AccountName[];
}

/** `nowMs` is the machine's time, for slots that have passed since the head; undefined where the chain sets its own. */
export function lastRound(rows: CommittedState, intervalSeconds: number, nowMs: number | undefined): LastRound {
  const head = rows.only(dynamicGlobalProperties);
  const { current_shuffled_witnesses, num_scheduled_witnesses } = rows.only(witnessSchedule);
  const scheduled = current_shuffled_witnesses.slice(0, num_scheduled_witnesses);
  const empty = nowMs === undefined ? 0 : emptySlots(nowMs / 1000 - head.time, intervalSeconds);
  const oldest = Number(head.current_aslot) + empty - 2 * scheduled.length;
  const silent = scheduled.filter((name) => Number(rows.get(witnesses, name)?.last_aslot ?? 0n) <= oldest);
  return {
    filledSlots: countFilled(head.recent_slots_filled << BigInt(Math.min(empty, ROUND_SLOTS))),
    scheduled,
    silent,
  };
}

/** The block of the running slot may still come. */
function emptySlots(headAgeSeconds: number, intervalSeconds: number): number {
  return Math.max(0, Math.trunc(headAgeSeconds / intervalSeconds) - 1);
}

function countFilled(slots: bigint): number {
  let filled = 0;
  for (let left = BigInt.asUintN(ROUND_SLOTS, slots); left > 0n; left >>= 1n) filled += Number(left & 1n);
  return filled;
}
