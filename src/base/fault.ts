/** The outside failed us: disk, network, a damaged file. The part that needs it stops cleanly; `code` is stable. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** What can fail outside; the command line turns each into an exit code. */
export type FaultCode = 'damaged_data' | 'port_in_use' | 'disk' | 'configuration' | 'runtime';
