import { readFileSync } from 'node:fs';

/** The machine's boot id: what was written since this boot is there, as no power failure came between. Undefined if unknown. */
export function thisBoot(): string | undefined {
  return textOf('/proc/sys/kernel/random/boot_id')?.trim();
}

/** When a process started, in the system's units; undefined where the system doesn't report it, or when there is no such process. */
export function beginningOf(pid: number): string | undefined {
  const STARTED = 19; // index among the fields after the name, which may contain anything
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[STARTED];
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // not Linux, or another user's process
  }
}
