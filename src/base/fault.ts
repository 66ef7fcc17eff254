import { AssertionFailure } from './assert.ts';

/** The outside failed us: disk, network, a damaged file. The part that needs it stops cleanly; `code` is stable. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Where an error comes from, for the operator's log; its text where it says no more. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** What can fail outside; the command line turns each into an exit code. */
export type FaultCode = 'damaged_data' | 'port_in_use' | 'disk' | 'configuration' | 'runtime';

/** Whether an error says that program or disk can't be relied on; any other is the affair of what was worked on when it was met. */
export function isBeyondItem(error: unknown): boolean {
  return error instanceof AssertionFailure || error instanceof Fault;
}
