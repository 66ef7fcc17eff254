import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Linux counts the CPU time of processes in hundredths of a second, whatever the kernel's own tick rate is (proc(5),
 * USER_HZ).
 */
const MICROS_PER_TICK = 10_000;
/** The index of utime among the fields after the program name in `stat`; stime comes next. */
const UTIME_FIELD = 11;

/**
 * CPU time that a process has used so far, in microseconds: all its threads, including those that have ended.
 * Undefined when the system doesn't report it: there is no such process, or the system isn't Linux.
 */
export function readCpuMicros(pid: number): number | undefined {
  return micros(`/proc/${pid}/stat`);
}

/**
 * CPU time of each live thread of a process, by thread id, in microseconds; empty when the system doesn't report it.
 */
export function readThreadCpuMicros(pid: number): ReadonlyMap<number, number> {
  const threads = new Map<number, number>();
  for (const id of listEntries(`/proc/${pid}/task`)) {
    const used = micros(`/proc/${pid}/task/${id}/stat`);
    if (used !== undefined) threads.set(Number(id), used);
  }
  return threads;
}

/**
 * Memory that a process holds now, and the most that it has held, in bytes; undefined when the system doesn't report
 * it.
 */
export function readMemory(pid: number): { readonly now: number; readonly most: number } | undefined {
  const status = readContent(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const bytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { now: bytes('VmRSS'), most: bytes('VmHWM') };
}

function micros(file: string): number | undefined {
  const text = readContent(file);
  if (text === undefined) return undefined;
  // The name is in parentheses and may contain anything, parentheses included.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[UTIME_FIELD]) + Number(fields[UTIME_FIELD + 1])) * MICROS_PER_TICK;
}

/**
 * The process of this user that listens on a TCP port of this machine; undefined when there is none, or the system
 * isn't Linux.
 */
export function findListener(port: number): number | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningSockets(`/proc/net/${table}`, port)));
  if (sockets.size === 0) return undefined;
  const processes = listEntries('/proc').filter((name) => /^\d+$/.test(name));
  const found = processes.find((pid) =>
    listEntries(`/proc/${pid}/fd`).some((descriptor) => sockets.has(linkTarget(`/proc/${pid}/fd/${descriptor}`))),
  );
  return found === undefined ? undefined : Number(found);
}

const LISTENING = '0A';

/** In the form of file descriptor links: `socket:[inode]`. */
function listeningSockets(file: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = (readContent(file) ?? '').split('\n').map((line) => line.trim().split(/\s+/));
  return rows
    .filter((row) => row[1]?.endsWith(suffix) === true && row[3] === LISTENING)
    .map((row) => `socket:[${row[9]}]`);
}

// Processes may end while they are being read, and some belong to other users.

function readContent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function listEntries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkTarget(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
