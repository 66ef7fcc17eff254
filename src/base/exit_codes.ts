import type { FaultCode } from './fault.ts';

/**
 * Exit codes shared by all programs of this project. `refused` is used by programs that send requests to a node.
 */
export const exitCodes = {
  stopped: 0,
  failed: 1,
  usage: 2,
  damaged: 3,
  portInUse: 4,
  refused: 5,
  keyLocked: 6,
  alarm: 7,
  outdated: 8,
} as const;

/** The meaning of each exit code, for people. */
export const exitMeanings: Readonly<Record<(typeof exitCodes)[keyof typeof exitCodes], string>> = {
  [exitCodes.stopped]: 'stopped cleanly',
  [exitCodes.failed]: 'failed while running',
  [exitCodes.usage]: 'wrong usage, input or configuration',
  [exitCodes.damaged]: 'damaged data',
  [exitCodes.portInUse]: 'port in use',
  [exitCodes.refused]: 'the node refused',
  [exitCodes.keyLocked]: 'another machine signs with a key of this witness',
  [exitCodes.alarm]: 'an alarm: pharos witness watch, pharos doctor or pharos checkpoint has found something',
  [exitCodes.outdated]: 'the chain has agreed on a hardfork that this release does not know',
};

/** The exit code of a program ended by a fault. */
export const exitCodeOfFault: Readonly<Record<FaultCode, number>> = {
  runtime: exitCodes.failed,
  transport: exitCodes.failed,
  timeout: exitCodes.failed,
  protocol: exitCodes.failed,
  source_set_back: exitCodes.failed,
  stream_missing: exitCodes.failed,
  database_away: exitCodes.failed,
  refused: exitCodes.refused,
  disk: exitCodes.failed,
  configuration: exitCodes.usage,
  damaged_data: exitCodes.damaged,
  unreadable_record: exitCodes.damaged,
  key_locked: exitCodes.keyLocked,
  port_in_use: exitCodes.portInUse,
  outdated: exitCodes.outdated,
};
