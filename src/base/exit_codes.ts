import type { FaultCode } from './fault.ts';

/** What every program of ours tells scripts by its exit code; 0 is success. `refused` is said by programs that ask a node. */
export const exitCodes = { failed: 1, usage: 2, damaged: 3, portInUse: 4, refused: 5 } as const;

/** The exit code of a program that a fault has ended. */
export const exitCodeOfFault: Readonly<Record<FaultCode, number>> = {
  runtime: exitCodes.failed,
  disk: exitCodes.failed,
  configuration: exitCodes.usage,
  damaged_data: exitCodes.damaged,
  port_in_use: exitCodes.portInUse,
};
