import { closeSync, fsyncSync, openSync, readdirSync, realpathSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';

const OWNER_ONLY = 0o600;

/**
 * Puts `content` in the place of a file, readable by its owner only. Whoever opens the path, at any moment and after any crash,
 * sees the old content or the new one, never a part. Throws Fault `disk`.
 */
export function replaceFile(path: string, content: string): void {
  const target = behindLinks(path);
  // The process id keeps two programs that write at once from renaming each other's half.
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    removeLeftovers(target);
    writeThrough(temporary, content);
    renameSync(temporary, target);
    syncFolder(dirname(target));
  } catch (cause) {
    throw new Fault('disk', `cannot write ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function writeThrough(path: string, content: string): void {
  rmSync(path, { force: true });
  // `wx` never follows a link that somebody put there.
  const file = openSync(path, 'wx', OWNER_ONLY);
  try {
    const bytes = Buffer.from(content, 'utf8');
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes the new name itself survive a loss of power. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** What programs that were killed while writing have left behind; those that are still alive keep theirs. */
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
    // Somebody else's process is alive as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
