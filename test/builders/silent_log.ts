import type { Log } from '../../src/base/log.ts';

/** A log that discards everything. */
export const silentLog: Log = { debug() {}, notice() {}, warning() {}, error() {} };
