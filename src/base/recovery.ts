import { Fault } from './fault.ts';
import { Refusal } from './refusal.ts';

/**
 * A caller's next step after an error: `wait` and call again, because time alone helps; call the `next_node`, or wait
 * when there is none, because this one can't answer now; or nothing, because the error is `final` until the call
 * changes.
 */
export type Recovery = 'wait' | 'next_node' | 'final';

/** Errors that time cures. */
export const WAIT: ReadonlySet<string> = new Set([
  'bandwidth_exceeded',
  'batch_rate_exceeded',
  'block_not_final',
  'block_replaced',
  'database_away',
  'depends_on_waiting',
  'dropped',
  'head_reverted',
  'no_answer_in_time',
  'no_second_node',
  'not_final',
  'position_in_future',
  'rate_exceeded',
  'snapshot_under_way',
  'source_set_back',
  'still_waiting',
  'stream_missing',
  'too_busy',
  'too_many_broadcasts',
  'too_many_pending',
  'too_many_unproven',
  'too_many_waiting',
]);

/** Errors of one node that another one need not have. */
export const NEXT_NODE: ReadonlySet<string> = new Set([
  'epoch_not_begun',
  'epoch_not_kept',
  'head_not_reached',
  'head_of_another_branch',
  'head_out_of_reach',
  'head_stands',
  'head_too_old',
  'head_undone',
  'internal_error',
  'address_has_too_many_subscriptions',
  'no_way_from_epoch',
  'node_has_too_many_subscriptions',
  'not_proven_yet',
  'protocol',
  'stopping',
  'timeout',
  'transport',
  'unknown_block',
  'unreadable_record',
]);

/** Tells the caller whether to wait, to ask the next node or to give up after an error with this name. */
export function findRecovery(name: string): Recovery {
  if (WAIT.has(name)) return 'wait';
  return NEXT_NODE.has(name) ? 'next_node' : 'final';
}

const REMEDIES = {
  wait: 'wait, then make the same call',
  next_node: 'call another node, or wait',
  final: 'change the call: the same one fails again',
} as const;

/** The same as a sentence, as documents and programs show it. */
export function remedySentence(name: string): string {
  return REMEDIES[findRecovery(name)];
}

/** The same for what a call has thrown; what has no name is a mistake, and final. */
export function errorRecovery(error: unknown): Recovery {
  return error instanceof Refusal || error instanceof Fault ? findRecovery(error.code) : 'final';
}
