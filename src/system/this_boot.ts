import { readFileSync } from 'node:fs';

/**
 * The machine's boot id: what was written since this boot is there, as no power failure came between. Undefined if
 * unknown.
 */
export function thisBoot(): string | undefined {
  return readText('/proc/sys/kernel/random/boot_id')?.trim();
}

/** States of processes that have ended: zombie and dead. */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X']);

/**
 * When a process started, in the system's units; undefined where the system doesn't report it, or when there is no such
 * process. One that has ended and that its parent has not asked about is none.
 */
export function processStart(pid: number): string | undefined {
  const STARTED = 18; // index among the fields after the name, which may contain anything, and the state
  const stat = readText(`/proc/${pid}/stat`);
  const [state = '', ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return ENDED.has(state) ? undefined : fields[STARTED];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // not Linux, or another user's process
  }
}
