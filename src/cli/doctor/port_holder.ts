import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/** A process of this machine, by its id and the name of its program. */
export interface LocalProcess {
  readonly pid: number;
  readonly program: string;
}

/** The process that listens on a TCP port of this machine; undefined where the system doesn't tell this user. */
export function holderOfPort(port: number): LocalProcess | undefined {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listenersIn(textOf(table), port)));
  const pid = entriesOf('/proc').find((name) => /^\d+$/.test(name) && hasOneOf(name, sockets));
  return pid === undefined ? undefined : { pid: Number(pid), program: textOf(`/proc/${pid}/comm`).trim() };
}

/** The sockets, as /proc names them among open files. */
function listenersIn(table: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    return local.endsWith(`:${hex}`) && state === LISTENING ? [`socket:[${inode}]`] : [];
  });
}

function hasOneOf(pid: string, sockets: ReadonlySet<string>): boolean {
  const files = `/proc/${pid}/fd`;
  return entriesOf(files).some((name) => sockets.has(targetOf(`${files}/${name}`)));
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // another user's process, or none any more
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
