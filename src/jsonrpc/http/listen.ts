import { Fault } from '../../base/fault.ts';
import type { HttpServer, HttpServerKind, HttpServerOptions } from './http_server.ts';
import { listenWithNode } from './node_http_server.ts';
import { installedUwsBinary, loadUws, type Uws, uwsBinaryAt } from './uws_binary.ts';

const nodeHttp: HttpServerKind = { name: 'node:http', open: listenWithNode };
const installed = installedUwsBinary();

/** uWebSockets.js where the installed one has a binary for this machine and this Node, which is Node 20 only; node:http elsewhere. */
export const httpServerInUse: HttpServerKind = installed === undefined ? nodeHttp : uwsServer('uWebSockets.js', () => loadUws(installed));

/** The settings that say what speaks HTTP. */
export interface HttpServerChoice {
  /** `uws` or `node`. */
  readonly named: string | undefined;
  /** Where uWebSockets.js is taken from, instead of from what is installed. */
  readonly uwsModule: string | undefined;
}

/** The server that settings choose; the one in use where they choose none. Fault `configuration` for one that can't be had. */
export function chosenHttpServer({ named, uwsModule }: HttpServerChoice): HttpServerKind {
  if (named !== undefined && named !== 'uws' && named !== 'node')
    throw new Fault('configuration', `webserver-http-server: uws or node expected, got "${named}"`);
  if (uwsModule !== undefined) {
    if (named === 'node')
      throw new Fault('configuration', 'webserver-uws-module: webserver-http-server = node uses none; leave one of them out');
    // Now, so that a wrong file is refused before anything is opened.
    const uws = loadUws(uwsBinaryAt(uwsModule));
    return uwsServer(`uWebSockets.js (${uwsModule})`, () => uws);
  }
  if (named === 'node') return nodeHttp;
  if (named === undefined || installed !== undefined) return httpServerInUse;
  throw new Fault(
    'configuration',
    `webserver-http-server: uWebSockets.js has no binary for Node ${process.versions.node} here; use node, or name a newer build by webserver-uws-module`,
  );
}

/** Opens HTTP and WebSocket on one port, by the server in use. Throws Fault `port_in_use`. */
export async function listen(options: HttpServerOptions): Promise<HttpServer> {
  return await httpServerInUse.open(options);
}

function uwsServer(name: string, load: () => Uws): HttpServerKind {
  const open: HttpServerKind['open'] = async (options) => {
    const { listenWithUws } = await import('./uws_http_server.ts');
    return listenWithUws(options, load());
  };
  return { name, open };
}
