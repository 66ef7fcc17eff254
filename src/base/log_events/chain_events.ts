import { declareEvents, NOTHING_TO_DO } from './event.ts';

/** Events of the chain and its state. */
export const chainEvents = declareEvents({
  block_applied: {
    level: 'notice',
    fields: { block: 'number', witness: 'string', transactions: 'number', latency_ms: 'number' },
    meaning: 'The node has applied a block of another witness.',
    action: NOTHING_TO_DO,
  },
  block_produced: {
    level: 'notice',
    fields: { block: 'number', witness: 'string', transactions: 'number' },
    meaning: 'The node has made a block.',
    action: NOTHING_TO_DO,
  },
  fork_switched: {
    level: 'notice',
    fields: { head: 'number', undone: 'number', applied: 'number' },
    meaning: 'Another branch is the main branch now.',
    action: 'Nothing. If it happens each minute, look at the links between witnesses.',
  },
  interest_skipped: {
    level: 'warning',
    meaning: 'The holdings of an account are outside the range for interest, and count as nothing.',
    action: 'Tell the developers of the chain.',
  },
});
