import { refusals } from '../base/refusal.ts';

/** What moving a development chain may be refused for. */
export const refuseDebug = refusals({
  no_turn: 'no witness of this node has a turn near {time}',
  block_not_made: 'the block was refused; what was pending is gone',
  time_over: 'times end in 2106',
  unknown_snapshot: 'no block of this chain has the id {id}',
  snapshot_is_final: 'block {number} is irreversible, and what lies before it too',
});

const { no_turn, block_not_made, time_over, unknown_snapshot, snapshot_is_final } = refuseDebug.texts;
/** What producing blocks may be refused for, and what going back may be. */
export const producingRefusals = { no_turn, block_not_made, time_over };
export const revertRefusals = { unknown_snapshot, snapshot_is_final };
