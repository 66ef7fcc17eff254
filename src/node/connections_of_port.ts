import { readFile } from 'node:fs/promises';

/** Where Linux lists the connections of this machine, of its containers each its own. */
const LISTS = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

/**
 * How many connections a port of this process has, for servers that don't know themselves; undefined where the system doesn't say. It reads a line for
 * each connection of the machine, so it is for those who ask a few times a minute.
 */
export async function connectionsOfPort(port: number): Promise<number | undefined> {
  const lists = await Promise.all(LISTS.map((path) => readFile(path, 'latin1').catch(() => undefined)));
  const known = lists.filter((list) => list !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, list) => sum + connectionsIn(list, port), 0);
}

/** Those of them that are established, in the form of Linux. */
export function connectionsIn(list: string, port: number): number {
  const digits = port.toString(16).toUpperCase().padStart(4, '0');
  const established = new RegExp(`^ *\\d+: [0-9A-F]+:${digits} [0-9A-F]+:[0-9A-F]{4} 01 `, 'gm');
  let count = 0;
  while (established.test(list)) count++;
  return count;
}
