import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { App, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { Fault } from '../../base/fault.ts';

/** What the server uses of uWebSockets.js; the same from 20.30, which the registry has, to the newest release of its authors. */
export interface Uws {
  readonly App: typeof App;
  readonly us_listen_socket_close: typeof us_listen_socket_close;
  readonly us_socket_local_port: typeof us_socket_local_port;
}

/** The machine code for this machine and this Node, as every build names it. */
const binaryName = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
const require = createRequire(import.meta.url);

/** The binary of the installed package; undefined where there is none for this Node. Its JavaScript would load a slow imitation then. */
export function installedUwsBinary(): string | undefined {
  try {
    return require.resolve(`uWebSockets.js/binaries/${binaryName}`);
  } catch {
    return undefined;
  }
}

/** The binary in a folder that holds a release of uWebSockets.js, or a file that is one. Fault `configuration` when there is none. */
export function uwsBinaryAt(path: string): string {
  const absolute = resolve(path);
  if (!existsSync(absolute)) throw failure(`there is no ${absolute}`);
  if (statSync(absolute).isFile()) return absolute;
  const found = [absolute, join(absolute, 'binaries')].map((folder) => join(folder, binaryName)).find((file) => existsSync(file));
  if (found !== undefined) return found;
  const others = readdirSync(absolute).filter((file) => /^uws_\w+\.node$/.test(file)).length;
  const what = others === 0 ? 'holds no uWebSockets.js' : `has machine code for ${others} others`;
  throw failure(`${absolute} ${what}; Node ${process.versions.node} needs a folder with ${binaryName} on this machine`);
}

/** Loads machine code. Fault `configuration` when it is none, or for another Node. */
export function loadUws(binary: string): Uws {
  const loaded = contentsOf(binary);
  if (isUws(loaded)) return loaded;
  throw failure(`${binary} is no uWebSockets.js`);
}

function contentsOf(binary: string): unknown {
  try {
    // No bundler follows a path that is known at run time only.
    return require(binary) as unknown;
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw failure(`${binary} can't be loaded: ${reason}`);
  }
}

function isUws(loaded: unknown): loaded is Uws {
  if (typeof loaded !== 'object' || loaded === null) return false;
  return ['App', 'us_listen_socket_close', 'us_socket_local_port'].every((name) => name in loaded);
}

function failure(reason: string): Fault {
  return new Fault('configuration', `webserver-uws-module: ${reason}`);
}
