import { createRequire } from 'node:module';
import { Fault } from '../../base/fault.ts';
import type { HttpServer, HttpServerName, HttpServerOptions } from './http_server.ts';
import { listenWithNode } from './node_http_server.ts';

/** uWebSockets.js where it has a binary for this machine and this Node, which is Node 20 only; node:http elsewhere. */
export const httpServerInUse: HttpServerName = hasBinary() ? 'uWebSockets.js' : 'node:http';

/** The server that a setting names, `uws` or `node`; the one in use where it names none. Fault `configuration` for one that can't be had. */
export function httpServerNamed(text: string | undefined): HttpServerName {
  if (text === undefined) return httpServerInUse;
  if (text === 'node') return 'node:http';
  if (text !== 'uws') throw new Fault('configuration', `webserver-http-server: uws or node expected, got "${text}"`);
  if (httpServerInUse === 'uWebSockets.js') return httpServerInUse;
  throw new Fault('configuration', `webserver-http-server: uWebSockets.js has no binary for Node ${process.versions.node} here; use node`);
}

/** Opens HTTP and WebSocket on one port, by the server in use unless `server` is another. Throws Fault `port_in_use`. */
export async function listen({ server = httpServerInUse, ...options }: HttpServerOptions): Promise<HttpServer> {
  if (server === 'node:http') return await listenWithNode(options);
  const { listenWithUws } = await import('./uws_http_server.ts');
  return await listenWithUws(options);
}

/** Checked beforehand because the package falls back to an implementation of its own, with a warning on the console. */
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
