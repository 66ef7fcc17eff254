import { createRequire } from 'node:module';
import type { HttpServer, HttpServerOptions } from './http_server.ts';
import { listenWithNode } from './node_http_server.ts';

/** What speaks HTTP and WebSocket in this process. */
export type HttpServerName = 'uWebSockets.js' | 'node:http';

/** uWebSockets.js where it has a binary for this machine and this Node, which is Node 20 only; node:http elsewhere. */
export const httpServerInUse: HttpServerName = hasBinary() ? 'uWebSockets.js' : 'node:http';

/** Opens HTTP and WebSocket on one port, by the server in use. Throws Fault `port_in_use`. */
export async function listen(options: HttpServerOptions): Promise<HttpServer> {
  if (httpServerInUse === 'node:http') return await listenWithNode(options);
  const { listenWithUws } = await import('./uws_http_server.ts');
  return await listenWithUws(options);
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
