import { exitCodeOfFault, exitCodes } from '../base/exit_codes.ts';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';

/** The exit code that scripts can rely on. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Fault) return exitCodeOfFault[error.code];
  return error instanceof Refusal ? exitCodes.usage : exitCodes.failed;
}

/** One line for people; the stack only where the program itself is wrong. */
export function explain(error: unknown): string {
  if (error instanceof Fault || error instanceof Refusal) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
