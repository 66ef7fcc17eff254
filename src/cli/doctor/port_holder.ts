import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/** A process of this machine, by its id and the name of its program. */
export interface LocalProcess {
  readonly pid: number;
  readonly program: string;
}

/** The process that listens on a TCP port of this machine; undefined where the system doesn't tell this user. */
export function holderOfPort(port: number): LocalProcess | undefined {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => findListeners(readText(table), port)));
  const pid = listEntries('/proc').find((name) => /^\d+$/.test(name) && hasSocket(name, sockets));
  return pid === undefined ? undefined : { pid: Number(pid), program: readText(`/proc/${pid}/comm`).trim() };
}

/** The sockets, as /proc names them among open files. */
function findListeners(table: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    return local.endsWith(`:${hex}`) && state === LISTENING ? [`socket:[${inode}]`] : [];
  });
}

function hasSocket(pid: string, sockets: ReadonlySet<string>): boolean {
  const files = `/proc/${pid}/fd`;
  return listEntries(files).some((name) => sockets.has(linkTarget(`${files}/${name}`)));
}

function listEntries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // another user's process, or none any more
  }
}

function linkTarget(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
