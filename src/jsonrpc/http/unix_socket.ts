import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../base/error_message.ts';
import { Fault } from '../../base/fault.ts';

/** Its user and its group may connect, and nobody else. */
const MODE = 0o660;
/** Of a folder that is made for it: the group may reach what is in it. */
const FOLDER_MODE = 0o750;
/** The longest path of a socket, one byte less than the system's field (108 on Linux, 104 elsewhere). */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103;
/** Each fails only when the random name is taken. */
const TRIES = 16;
const SUFFIX_LETTERS = 8;

/** The other end of a Unix socket, in place of an address. */
export const UNIX_PEER = 'unix';

/** Returns the path; Fault `configuration` when no Unix socket can have it. `setting` names its place. */
export function requireSocketPath(path: string | undefined, setting: string): string | undefined {
  if (path === undefined) return undefined;
  const bytes = Buffer.byteLength(path);
  if (bytes > LONGEST_PATH)
    throw new Fault(
      'configuration',
      `${setting}: ${path} has ${bytes} bytes, and the path of a Unix socket at most ${LONGEST_PATH}`,
    );
  if (path.endsWith('/')) throw new Fault('configuration', `${setting}: ${path} is a folder; name a file in it`);
  return path;
}

/** A Unix socket in the file system that a server of this process listens on. */
export interface UnixSocket {
  /** Removes it, unless another process has put one in its place. */
  remove(): void;
}

/**
 * Has a server listen on a path. The socket gets its mode under another name, so nobody else ever connects, whatever
 * the umask is. A socket that nobody listens on is replaced. Fault `configuration` when another process listens there,
 * or something else lies there.
 */
export async function listenOnPath(server: Server, path: string): Promise<UnixSocket> {
  onFiles(path, () => makeFolder(dirname(path)));
  await removeStale(path);
  const hidden = await listenHidden(server, path);
  try {
    onFiles(path, () => publish(hidden, path));
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(hidden, { force: true });
  }
  const { ino } = lstatSync(path);
  return { remove: () => removeOwn(path, ino) };
}

/**
 * Returns whether a process listens on a socket: no where it was left behind, the system's code where nobody can tell.
 */
export async function socketState(
  path: string,
): Promise<'listens' | 'stale' | 'missing' | 'other' | { readonly code: string }> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 'missing';
  if (!found.isSocket()) return 'other';
  return await new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve('listens');
    });
    socket.once('error', (error) => {
      const code = 'code' in error ? String(error.code) : '';
      resolve(code === 'ECONNREFUSED' ? 'stale' : code === 'ENOENT' ? 'missing' : { code });
    });
  });
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: FOLDER_MODE });
  chmodSync(folder, FOLDER_MODE);
}

/** Only what is known to be dead is removed: a process that starts at the same moment may have replaced it already. */
async function removeStale(path: string): Promise<void> {
  const state = await onFilesLater(path, async () => await socketState(path));
  if (state === 'missing') return;
  if (state === 'other')
    throw refused(path, 'something else than a socket lies there, which is not removed; name another path');
  if (state === 'listens') throw inUse(path);
  if (state !== 'stale')
    throw refused(
      path,
      `nobody can tell whether a process listens there (${state.code}); remove it, or name another path`,
    );
  const aside = neighbourName(path);
  onFiles(path, () => renameSync(path, aside));
  const moved = await onFilesLater(path, async () => await socketState(aside));
  onFiles(path, () => {
    if (moved !== 'stale') publish(aside, path);
    rmSync(aside, { force: true });
    if (moved !== 'stale') throw inUse(path);
  });
}

/** Under a name that nobody knows. */
async function listenHidden(server: Server, path: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    const hidden = neighbourName(path);
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ path: hidden, exclusive: true }, () => {
          server.off('error', reject);
          resolve();
        });
        // Before it is known to anybody; where listening has failed there is nothing.
        if (existsSync(hidden)) chmodSync(hidden, MODE);
      });
      return hidden;
    } catch (cause) {
      if (errorCode(cause) !== 'EADDRINUSE' || tries === TRIES) throw refused(path, errorMessage(cause), cause);
    }
  }
}

/**
 * The path with something random behind it, so that `ss -xl` shows whose it is; where that has no room, a name of the
 * same length.
 */
function neighbourName(path: string): string {
  const longer = `${path}.${randomText(SUFFIX_LETTERS)}`;
  if (Buffer.byteLength(longer) <= LONGEST_PATH) return longer;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const random = randomText(Buffer.byteLength(name));
  return path.includes('/') ? join(dirname(path), random) : random;
}

function randomText(letters: number): string {
  const digit = (): string => Math.trunc(Math.random() * 36).toString(36);
  return Array.from({ length: letters }, digit).join('');
}

/** Gives a socket its name, and never takes that of another one. */
function publish(hidden: string, path: string): void {
  try {
    linkSync(hidden, path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') throw inUse(path);
    // Some file systems have no hard links.
    if (code === 'ENOENT' || lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw error;
    renameSync(hidden, path);
  }
}

function removeOwn(path: string, ino: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
}

function onFiles<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof Fault ? error : refused(path, errorMessage(error), error);
  }
}

async function onFilesLater<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof Fault ? error : refused(path, errorMessage(error), error);
  }
}

function inUse(path: string): Fault {
  return new Fault(
    'port_in_use',
    `cannot listen on ${path}: another process does; stop that one, or name another path`,
  );
}

function refused(path: string, why: string, cause?: unknown): Fault {
  return new Fault('configuration', `cannot listen on ${path}: ${why}`, cause);
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
