import { createRequire } from 'node:module';
import type { Door, DoorOptions } from './door_options.ts';
import { openNodeDoor } from './node_door.ts';

/** What speaks HTTP and WebSocket in this process. */
export type HttpServerName = 'uWebSockets.js' | 'node:http';

/** uWebSockets.js where it has a binary for this machine and this Node, which is Node 20 only; node:http elsewhere. */
export const httpServerInUse: HttpServerName = hasBinary() ? 'uWebSockets.js' : 'node:http';

/** Opens HTTP and WebSocket on one port, by the server in use. Throws Fault `port_in_use`. */
export async function openDoor(options: DoorOptions): Promise<Door> {
  if (httpServerInUse === 'node:http') return await openNodeDoor(options);
  const { openUwsDoor } = await import('./uws_door.ts');
  return await openUwsDoor(options);
}

/** Asked beforehand because the package falls back to an implementation of its own, with a warning on the console. */
function hasBinary(): boolean {
  try {
    createRequire(import.meta.url).resolve(
      `uWebSockets.js/binaries/uws_${process.platform}_${process.arch}_${process.versions.modules}.node`,
    );
    return true;
  } catch {
    return false;
  }
}
