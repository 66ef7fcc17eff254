import { exitCodeOfFault, exitCodes } from '../base/exit_codes.ts';
import { Fault } from '../base/fault.ts';
import { whyTooFewFiles } from './open_files.ts';
import { Refusal } from '../base/refusal.ts';
import { NodeRefusal } from '../client/node_refusal.ts';
import { systemErrorCode } from './system_error.ts';
import { withoutKeys } from './hidden_keys.ts';

/** The exit code that scripts can rely on. */
export function errorExitCode(error: unknown): number {
  if (error instanceof Fault) return exitCodeOfFault[error.code];
  if (error instanceof NodeRefusal) return exitCodes.refused;
  return error instanceof Refusal ? exitCodes.usage : exitCodes.failed;
}

/** One readable line, without private keys; a stack trace only for errors of the program itself. */
export function explain(error: unknown): string {
  return withoutKeys(errorCause(error));
}

function errorCause(error: unknown): string {
  if (error instanceof Fault || error instanceof Refusal) return error.message;
  // Libraries report this cause through many different errors.
  const tooFewFiles = whyTooFewFiles();
  if (tooFewFiles !== undefined) return tooFewFiles;
  if (systemErrorCode(error) !== undefined && error instanceof Error) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
