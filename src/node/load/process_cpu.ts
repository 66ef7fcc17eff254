import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Linux counts the CPU time of processes in hundredths of a second, whatever its kernel's own clock does (proc(5), USER_HZ). */
const MICROS_PER_TICK = 10_000;
/** Where utime stands among the fields that follow the name of the program in `stat`; stime is the next. */
const UTIME_FIELD = 11;

/**
 * CPU time that a process has used so far, all its threads together, those that have ended included, in microseconds.
 * Undefined where the system doesn't tell: no such process, or no Linux.
 */
export function cpuMicrosOf(pid: number): number | undefined {
  return micros(`/proc/${pid}/stat`);
}

/** CPU time of each thread of a process that is alive, by thread id, in microseconds; empty where the system doesn't tell. */
export function threadCpuMicrosOf(pid: number): ReadonlyMap<number, number> {
  const threads = new Map<number, number>();
  for (const id of entriesOf(`/proc/${pid}/task`)) {
    const used = micros(`/proc/${pid}/task/${id}/stat`);
    if (used !== undefined) threads.set(Number(id), used);
  }
  return threads;
}

function micros(file: string): number | undefined {
  const text = contentOf(file);
  if (text === undefined) return undefined;
  // The name stands in parentheses and may hold anything, parentheses too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[UTIME_FIELD]) + Number(fields[UTIME_FIELD + 1])) * MICROS_PER_TICK;
}

/** The process of this user that listens on a TCP port of this machine; undefined when there is none, or no Linux. */
export function listenerOn(port: number): number | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningSockets(`/proc/net/${table}`, port)));
  if (sockets.size === 0) return undefined;
  const processes = entriesOf('/proc').filter((name) => /^\d+$/.test(name));
  const found = processes.find((pid) =>
    entriesOf(`/proc/${pid}/fd`).some((descriptor) => sockets.has(targetOf(`/proc/${pid}/fd/${descriptor}`))),
  );
  return found === undefined ? undefined : Number(found);
}

const LISTENING = '0A';

/** As they stand behind file descriptors: `socket:[inode]`. */
function listeningSockets(file: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = (contentOf(file) ?? '').split('\n').map((line) => line.trim().split(/\s+/));
  return rows.filter((row) => row[1]?.endsWith(suffix) === true && row[3] === LISTENING).map((row) => `socket:[${row[9]}]`);
}

// Processes come and go while they are looked at, and some belong to others.

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
