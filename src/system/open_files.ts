import { readdirSync, readFileSync, statSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import type { OpenFiles } from '../jsonrpc/http/open_files.ts';

/**
 * Files that stay free for the database, which opens tables as it grows and compacts, and for connections that come
 * between two checks.
 */
const RESERVED_FILES = 2048;
/** The largest part of a low limit that is kept free. */
const RESERVED_SHARE = 4;
/** The reserve covers the connections that can come in this time. */
const LOOK_MS = 5;

/** Returns the number of files that this process may open; Infinity when the system doesn't report it. */
export function openFilesLimit(): number {
  try {
    return parseLimit(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return Infinity; // not Linux, or not even one more file can be opened
  }
}

/** Reads the limit of open files from Linux's table of limits; Infinity when it holds no number. */
export function parseLimit(limits: string): number {
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
}

/** Returns the number of files that are kept for the database. */
export function reservedFiles(limit: number): number {
  return Math.min(RESERVED_FILES, Math.trunc(limit / RESERVED_SHARE));
}

/** A node opens this many before its first client, the reserve for its database included. */
export const FEWEST_OPEN_FILES = 256;

/** Returns the reason why this process may not open enough files for a node; undefined when it may. */
export function whyTooFewFiles(): string | undefined {
  const most = openFilesLimit();
  return most < FEWEST_OPEN_FILES
    ? `this process may open ${most} files, and a node needs ${FEWEST_OPEN_FILES} or more: raise ulimit -n`
    : undefined;
}

/** Throws Fault `runtime` when there are too few: such a node would answer nobody. */
export function refuseFewFiles(): void {
  const why = whyTooFewFiles();
  if (why !== undefined) throw new Fault('runtime', why);
}

/** The open files of this process, as Linux counts them. */
export function filesOfThisProcess(): OpenFiles {
  const limit = openFilesLimit();
  const most = limit - reservedFiles(limit);
  let [lookedMs, wasLow] = [-Infinity, false];
  const room = (): number => (limit === Infinity ? Infinity : most - countOpenFiles());
  return {
    room,
    isLow(nowMs) {
      if (limit === Infinity || nowMs - lookedMs < LOOK_MS) return wasLow;
      lookedMs = nowMs;
      wasLow = room() <= 0;
      return wasLow;
    },
  };
}

const OPEN_FILES = '/proc/self/fd';

function countOpenFiles(): number {
  try {
    // Linux 6.2 says the number itself; older ones have to be counted.
    return statSync(OPEN_FILES).size || readdirSync(OPEN_FILES).length;
  } catch {
    return Infinity; // not even one more can be opened
  }
}
