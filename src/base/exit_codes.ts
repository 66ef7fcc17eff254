import type { FaultCode } from './fault.ts';

/** Exit codes shared by all programs of this project; 0 is success. `refused` is used by programs that send requests to a node. */
export const exitCodes = { failed: 1, usage: 2, damaged: 3, portInUse: 4, refused: 5, keyLocked: 6, alarm: 7 } as const;

/** The exit code of a program ended by a fault. */
export const exitCodeOfFault: Readonly<Record<FaultCode, number>> = {
  runtime: exitCodes.failed,
  transport: exitCodes.failed,
  timeout: exitCodes.failed,
  protocol: exitCodes.failed,
  disk: exitCodes.failed,
  configuration: exitCodes.usage,
  damaged_data: exitCodes.damaged,
  key_locked: exitCodes.keyLocked,
  port_in_use: exitCodes.portInUse,
};
