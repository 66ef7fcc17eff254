import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { parseMembers } from '../system/json_members.ts';
import { isProcessAlive } from '../system/alive_process.ts';
import { onDisk, systemErrorCode } from '../system/system_error.ts';
import { processStart, thisBoot } from '../system/this_boot.ts';
import { UNFINISHED } from '../system/whole_file.ts';

const LOCK_FILE = 'pharos-lock.json';

/**
 * The process that holds a folder. A process id alone isn't enough: after a restart of the machine or container another
 * process has it.
 */
interface Holder {
  readonly pid: number;
  readonly began?: string;
  readonly boot?: string;
  readonly command: string;
}

/** Folders that this process has locked; the lock file alone would look like a dead process's. */
const ours = new Set<string>();

/** The longest time between reading the lock file and removing it. */
const SLOWER_MS = 50;

/** Attempts to take over a lock: each fails only when another process does the same at that moment. */
const TRIES = 10;

/**
 * Locks a folder for this process, with a file that names the holder. The lock of a dead process is taken over. Fault
 * `configuration` that names the process when the folder is in use. The database has its own lock; this one is taken
 * before anything is removed.
 */
export function lockFolder(folder: string, command: string): () => void {
  const path = join(folder, LOCK_FILE);
  let takesOver = false;
  for (let tries = 0; tries < TRIES; tries++) {
    if (ours.has(path)) throw inUse(folder, `this process, ${process.pid},`);
    if (create(path, command) && (!takesOver || isStillOurs(path))) {
      ours.add(path);
      return () => {
        ours.delete(path);
        if (loadHolder(path)?.pid === process.pid) rmSync(path, { force: true });
      };
    }
    const holder = loadHolder(path);
    if (holder !== undefined && isAlive(holder))
      throw inUse(folder, `process ${holder.pid} (pharos ${holder.command})`, isNode(holder));
    rmSync(path, { force: true });
    takesOver = true;
  }
  throw inUse(folder, 'a process that is just starting');
}

/**
 * Of two processes that find the same dead holder, the slower may remove the file the other just created: the later
 * file counts.
 */
function isStillOurs(path: string): boolean {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SLOWER_MS);
  return loadHolder(path)?.pid === process.pid;
}

/** The Fault for a folder that is in use. Nobody is told to stop a node that runs. */
export function inUse(folder: string, by: string, isOfNode = false): Fault {
  const advice = isOfNode
    ? 'a second node needs a folder of its own'
    : 'wait until it has ended, or name another folder';
  return new Fault('configuration', `${folder} is in use by another process: ${by} has it; ${advice}`);
}

/** The commands that are nodes; all others read a folder and end. */
export function isNode({ command }: Pick<Holder, 'command'>): boolean {
  return command === 'run' || command === 'dev';
}

/** Creates the file atomically, with its content. */
function create(path: string, command: string): boolean {
  const own = `${path}.${process.pid}${UNFINISHED}`;
  return onDisk(`cannot lock the data folder with ${path}`, () => {
    try {
      writeFileSync(own, `${JSON.stringify(thisProcess(command))}\n`);
      linkSync(own, path);
      return true;
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'EEXIST') return false;
      // Without hard links the file may be seen before it names its holder; the database's own lock still protects the
      // data.
      if (code === 'EPERM' || code === 'ENOTSUP') return createWithoutLink(path, command);
      throw error;
    } finally {
      rmSync(own, { force: true });
    }
  });
}

function createWithoutLink(path: string, command: string): boolean {
  try {
    writeFileSync(path, `${JSON.stringify(thisProcess(command))}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function thisProcess(command: string): Holder {
  const [began, boot] = [processStart(process.pid), thisBoot()];
  return { pid: process.pid, ...(began && { began }), ...(boot && { boot }), command };
}

/** Undefined when there is no lock, or when the file is unreadable: a power failure may leave one like that. */
function loadHolder(path: string): Holder | undefined {
  try {
    return readHolder(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function readHolder(text: string): Holder | undefined {
  const { pid, began, boot, command } = parseMembers(text) ?? {};
  if (typeof pid !== 'number') return undefined;
  const rest = { ...(typeof began === 'string' && { began }), ...(typeof boot === 'string' && { boot }) };
  return { pid, ...rest, command: String(command) };
}

/** The process that uses a folder now, as far as its lock file shows; undefined when none does. */
export function findHolder(folder: string): Pick<Holder, 'pid' | 'command'> | undefined {
  const holder = loadHolder(join(folder, LOCK_FILE));
  return holder !== undefined && isAlive(holder) ? holder : undefined;
}

/** True when the process that locked the folder is still alive, as far as this process can tell. */
function isAlive({ pid, began, boot }: Holder): boolean {
  if (typeof pid !== 'number' || (boot !== undefined && boot !== thisBoot())) return false;
  if (began !== undefined) return processStart(pid) === began;
  return pid !== process.pid && isProcessAlive(pid);
}
