import { refusals } from '../../base/refusal.ts';

/** Refusals of moving a development chain. */
export const refuseDebug = refusals({
  no_turn: 'no witness of this node has a turn near {time}; another time may do',
  block_not_made: 'the block for {time} was refused, and what was pending is gone; the log of the node says why',
  time_over: 'no block can be made for second {time} of 1970 on, because times end at {end}',
  unknown_snapshot: 'no block of this chain has the id {id}; snapshot gives the id of the head',
  snapshot_is_final:
    'block {number} is the earliest that can be gone back to, what it rests on is kept for good; take a later one, or start the chain with a larger --undo-blocks and without --p2p-endpoint, whose followers would not go along',
  fork_of_final:
    'block {number} is irreversible, which no fork takes back: {most} blocks can be replaced now; for more, debug_api.revert and debug_api.produce_blocks',
});

const { no_turn, block_not_made, time_over, unknown_snapshot, snapshot_is_final, fork_of_final } = refuseDebug.texts;
/** Refusals of producing blocks, and of reverting. */
export const producingRefusals = { no_turn, block_not_made, time_over };
export const revertRefusals = { unknown_snapshot, snapshot_is_final };
export const forkRefusals = { ...producingRefusals, fork_of_final };
