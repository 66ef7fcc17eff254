import { errorMessage } from '../base/error_message.ts';
import { exitCodeOfFault, exitCodes } from '../base/exit_codes.ts';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { NodeRefusal } from '../client/node_refusal.ts';
import { escapeControls } from './show/terminal.ts';

/** The wallet's refusals that depend on the node's data: the input is well-formed, but doesn't match the chain. */
const BY_NODES_WORD: ReadonlySet<string> = new Set([
  'account_not_found',
  'account_is_seed',
  'account_unreadable',
  'approving_account_missing',
  'chain_ahead_of_clock',
  'consent_needed',
  'consent_refused',
  'fee_symbol',
  'fee_too_large',
  'no_chain_id',
  'no_head_time',
  'node_changed_operations',
  'other_chain',
]);

/** The exit code of a command that failed. */
export function failureExitCode(error: unknown): number {
  if (error instanceof Fault) return exitCodeOfFault[error.code];
  if (!(error instanceof Refusal)) return exitCodes.failed;
  return error instanceof NodeRefusal || BY_NODES_WORD.has(error.code) ? exitCodes.refused : exitCodes.usage;
}

/** Explains the failure of a command in one readable line; the node's text can't control the terminal. */
export function explain(error: unknown): string {
  if (error instanceof Fault || error instanceof Refusal) return escapeControls(error.message).replaceAll('\n', ' ');
  // An error of the program: enough to report it, without a stack trace for users who only want to send a payment.
  return `internal error: ${errorMessage(error)}`;
}
