import { AssertionFailure } from './assert.ts';

/** An external failure: disk, network, a damaged file. The part that depends on it stops cleanly; `code` is stable. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** The stack of an error, for the operator's log; its message if it has no stack. */
export function errorStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The kinds of external failure; the command line maps each to an exit code. */
export type FaultCode =
  | 'damaged_data'
  | 'port_in_use'
  | 'disk'
  | 'configuration'
  | 'key_locked'
  /** The chain has a rule that this program is too old for. */
  | 'outdated'
  | 'runtime'
  // Faults of a node, as its client sees them.
  | 'transport'
  | 'timeout'
  | 'protocol'
  // An index fails by its node, its stream or its database.
  | 'refused'
  | 'source_set_back'
  | 'stream_missing'
  | 'database_away'
  | 'unreadable_record';

/**
 * True for an error that makes the program or the disk unreliable; any other error concerns only the item being
 * processed.
 */
export function isBeyondItem(error: unknown): boolean {
  return error instanceof AssertionFailure || error instanceof Fault;
}
