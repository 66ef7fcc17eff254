import { readFileSync } from 'node:fs';

/** Tells this run of the machine from others: what was written since then is there unless a power failure came between. Undefined where the system doesn't say. */
export function thisBoot(): string | undefined {
  return textOf('/proc/sys/kernel/random/boot_id')?.trim();
}

/** When a process began, as the system counts; undefined where it doesn't say, or when there is no such process. */
export function beginningOf(pid: number): string | undefined {
  const STARTED = 19; // of the fields behind the name, which may hold anything
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[STARTED];
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // another system, or another process' file
  }
}
