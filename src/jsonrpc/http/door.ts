import { createRequire } from 'node:module';
import type { Door, DoorOptions } from './door_options.ts';
import { openNodeDoor } from './node_door.ts';

/**
 * Opens HTTP and WebSocket on one port: by uWebSockets.js, or by node:http where that has no binary for this machine.
 * Throws Fault `port_in_use`.
 */
export async function openDoor(options: DoorOptions): Promise<Door> {
  if (!hasBinary()) return await openNodeDoor(options);
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
