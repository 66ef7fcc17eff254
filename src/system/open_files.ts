import { readdirSync, readFileSync, statSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import type { OpenFiles } from '../jsonrpc/http/open_files.ts';

/**
 * What is kept free for the database, which opens tables as it grows and compacts, and for connections that come
 * between two checks.
 */
const RESERVED_FILES = 2048;
/** The largest part of a low limit that is kept free. */
const RESERVED_SHARE = 4;
/** The reserve covers the connections that can come in this time. */
const LOOK_MS = 5;

/** How many files this process may open; Infinity where the system doesn't report it. */
export function openFilesLimit(): number {
  try {
    return limitIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return Infinity; // not Linux, or not even one more file can be opened
  }
}

/** How many files a process may open whose limits Linux shows so; Infinity where it is told no number. */
export function limitIn(limits: string): number {
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
}

/** How many of them are kept for the database. */
export function reservedOf(limit: number): number {
  return Math.min(RESERVED_FILES, Math.trunc(limit / RESERVED_SHARE));
}

/** What a node opens before its first client, and the reserve for its database. */
export const FEWEST_OPEN_FILES = 256;

/** Why this process may not open enough files for a node; undefined when it may. */
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
  const most = limit - reservedOf(limit);
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
