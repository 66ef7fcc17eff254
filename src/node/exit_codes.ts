import { exitCodeOfFault, exitCodes } from '../base/exit_codes.ts';
import { Fault } from '../base/fault.ts';
import { openFilesLimit } from './open_files.ts';
import { Refusal } from '../base/refusal.ts';
import { systemCodeOf } from './system_error.ts';

/** The exit code that scripts can rely on. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Fault) return exitCodeOfFault[error.code];
  return error instanceof Refusal ? exitCodes.usage : exitCodes.failed;
}

/** One readable line; a stack trace only for errors of the program itself. */
export function explain(error: unknown): string {
  if (error instanceof Fault || error instanceof Refusal) return error.message;
  const most = openFilesLimit();
  // Libraries report this cause through many different errors.
  if (most < FEWEST_OPEN_FILES)
    return `this process may open ${most} files, and a node needs ${FEWEST_OPEN_FILES} or more: raise ulimit -n`;
  if (systemCodeOf(error) !== undefined && error instanceof Error) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Modules are loaded a few hundred at a time; database tables and connections need more. */
const FEWEST_OPEN_FILES = 512;
