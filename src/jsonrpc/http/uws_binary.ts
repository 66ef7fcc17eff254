import { createRequire } from 'node:module';
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
/** Bytes: about what 20.30 takes by itself. */
const LONGEST_HEAD = 65_536;

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
  const here = createRequire(`${process.cwd()}/`);
  const place = path.startsWith('/') ? path : `./${path}`;
  for (const file of [`${place}/${binaryName}`, `${place}/binaries/${binaryName}`, ...(path.endsWith('.node') ? [place] : [])]) {
    try {
      return here.resolve(file);
    } catch {
      // the next one
    }
  }
  throw failure(
    `${path} holds no uWebSockets.js for Node ${process.versions.node} on this machine: a folder with ${binaryName} is expected`,
  );
}

/** Loads machine code. Fault `configuration` when it is none, or for another Node. */
export function loadUws(binary: string): Uws {
  const loaded = contentsOf(binary);
  if (isUws(loaded)) return loaded;
  throw failure(`${binary} is no uWebSockets.js`);
}

function contentsOf(binary: string): unknown {
  // Newer builds refuse heads above 4 KiB unless their environment says otherwise, and read that once; our own limit is lower than this.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= `${LONGEST_HEAD}`;
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
