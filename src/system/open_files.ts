import { readdirSync, readFileSync, statSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { filesUnknown, type OpenFiles } from '../jsonrpc/http/open_files.ts';

/**
 * Files that stay free for the database, which opens tables as it grows and compacts, and for connections that come
 * between two checks.
 */
const RESERVED_FILES = 2048;
/** The largest part of a low limit that is kept free. */
const RESERVED_SHARE = 4;
/**
 * Files are counted when a client comes: when a fifth of what was free has come since the last count, or after 200 ms, in
 * which others may have opened some. While nobody comes no thread is woken for it.
 */
const [FIFTH, COUNTED_MS] = [5, 200];
/** While there is no room: before Linux 6.2 a count of thousands takes milliseconds. */
const LOW_COUNTED_MS = 20;

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

let ofThisProcess: OpenFiles | undefined;

/** The open files of this process, as Linux counts them. All ports share them, and who has come since the last count. */
export function filesOfThisProcess(): OpenFiles {
  const limit = openFilesLimit();
  return (ofThisProcess ??= limit === Infinity ? filesUnknown : new CountedFiles(limit, countOpenFiles));
}

/** The open files of a process, below its limit. */
export class CountedFiles implements OpenFiles {
  readonly #most: number;
  readonly #countOpen: () => number;
  /** At the last count: the room, its time, and who has come since. */
  #room = 0;
  #countedMs = -Infinity;
  #come = 0;

  constructor(limit: number, countOpen: () => number) {
    this.#most = limit - reservedFiles(limit);
    this.#countOpen = countOpen;
  }

  count(nowMs: number): number {
    this.#room = this.#most - this.#countOpen();
    [this.#countedMs, this.#come] = [nowMs, 0];
    return this.#room;
  }

  isLow(nowMs: number): boolean {
    this.#come++;
    if (this.#isDue(nowMs - this.#countedMs)) this.count(nowMs);
    return this.#room <= 0;
  }

  #isDue(sinceMs: number): boolean {
    if (this.#room <= 0) return sinceMs >= LOW_COUNTED_MS;
    return this.#come * FIFTH >= this.#room || sinceMs >= COUNTED_MS;
  }
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
