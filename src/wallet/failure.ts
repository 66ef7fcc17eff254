import { exitCodeOfFault, exitCodes } from '../base/exit_codes.ts';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { DecodeError } from '../codec/decode_error.ts';
import { harmless } from './show/terminal.ts';

/** Refusals that say something about how the command was typed. */
const USAGE: ReadonlySet<string> = new Set([
  'unknown_command',
  'too_few_words',
  'too_many_words',
  'line_unfinished',
  'line_unexpected',
  'line_too_deep',
]);

/** The exit code of a command that failed. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Fault) return exitCodeOfFault[error.code];
  if (error instanceof DecodeError) return exitCodes.usage;
  if (error instanceof Refusal) return USAGE.has(error.code) || error.code.startsWith('json_') ? exitCodes.usage : exitCodes.refused;
  return exitCodes.failed;
}

/** Why a command failed, for people, in one line; what the node wrote can't steer the terminal. */
export function explain(error: unknown): string {
  if (error instanceof Fault || error instanceof Refusal) return harmless(error.message).replaceAll('\n', ' ');
  // A mistake of the program: enough to report it, no stack for people who only want to pay somebody.
  return `internal error: ${error instanceof Error ? error.message : String(error)}`;
}
