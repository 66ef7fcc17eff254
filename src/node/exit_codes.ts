import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';

const EXIT_CODES = { runtime: 1, disk: 1, configuration: 2, damaged_data: 3, port_in_use: 4 } as const;

/** The exit code that scripts can rely on. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Fault) return EXIT_CODES[error.code];
  return error instanceof Refusal ? EXIT_CODES.configuration : EXIT_CODES.runtime;
}

/** One line for people; the stack only where the program itself is wrong. */
export function explain(error: unknown): string {
  if (error instanceof Fault || error instanceof Refusal) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
