import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorMessage } from '../../base/error_message.ts';
import { Fault } from '../../base/fault.ts';

const OWNER_ONLY = 0o600;

/**
 * Replaces a file by `content`, readable by its owner only. Opening the path finds, at any moment and after any crash,
 * the old content or the new one, never a part. Throws Fault `disk`.
 */
export function replaceFile(path: string, content: string): void {
  const target = behindLinks(path);
  const temporary = temporaryPath(target);
  try {
    removeLeftovers(target);
    writeAndSync(temporary, content);
    renameSync(temporary, target);
    syncFolder(dirname(target));
  } catch (cause) {
    removeQuietly(temporary);
    throw unwritable(path, cause);
  }
}

/** Refuses a path that `replaceFile` can't write, before a result exists that would be lost. Throws Fault `disk`. */
export function requireReplaceable(path: string): void {
  const target = behindLinks(path);
  try {
    if (statSync(target, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error('it is a folder');
    writeAndSync(temporaryPath(target), '');
  } catch (cause) {
    throw unwritable(path, cause);
  } finally {
    removeQuietly(temporaryPath(target));
  }
}

/** Its own error is dropped: the cause of the failed write says more. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    return;
  }
}

function unwritable(path: string, cause: unknown): Fault {
  return new Fault('disk', `cannot write ${path}: ${errorMessage(cause)}`, cause);
}

/** The process id keeps two programs that write at the same time from renaming each other's unfinished file. */
function temporaryPath(target: string): string {
  return `${target}.${process.pid}.tmp`;
}

function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function writeAndSync(path: string, content: string): void {
  rmSync(path, { force: true });
  // `wx` never follows a link planted there.
  const file = openSync(path, 'wx', OWNER_ONLY);
  try {
    const bytes = Buffer.from(content, 'utf8');
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs the folder, so that the new name survives a power failure. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Removes files left by programs that were killed while writing, but not those of live processes. */
function removeLeftovers(target: string): void {
  const start = `${basename(target)}.`;
  for (const name of readdirSync(dirname(target))) {
    const pid = name.startsWith(start) ? /^(\d{1,10})\.tmp$/.exec(name.slice(start.length))?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(dirname(target), name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process is alive, but another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
