import { Fault } from '../../base/fault.ts';
import type { HttpServer, HttpServerKind, HttpServerOptions } from './http_server.ts';
import { sayingWhy } from './listen_failure.ts';
import { listenWithNode } from './node_http_server.ts';
import type { Uws } from './uws.ts';
import { findUws, loadUws, UWS_VERSION, findUwsBinary } from './uws_binary.ts';

const found = findUws();

/** uWebSockets.js where there is a binary for this machine and this Node, node:http elsewhere. */
export const httpServerInUse: HttpServerKind =
  'binary' in found
    ? uwsServer(`release ${UWS_VERSION}, the default`, () => loadUws(found.binary))
    : nodeServer(`because ${found.why}`, found.install);

/** Serves HTTP on Unix sockets with node:http: the binding removes any file at the path, and can't set a mode. */
export const unixServer: HttpServerKind = nodeServer('as on every Unix socket');

/** The settings that say what speaks HTTP. */
export interface HttpServerChoice {
  /** `uws` or `node`. */
  readonly named?: string | undefined;
  /** The path of uWebSockets.js, instead of the installed one. */
  readonly uwsModule?: string | undefined;
  /** True if `trusted-proxy` names somebody: proxies speak HTTP/1.0, and keep idle connections. */
  readonly isBehindProxy?: boolean;
}

/**
 * The server that settings choose; the one in use where they choose none. Throws Fault `configuration` for one that is
 * not available.
 */
export function chosenHttpServer({ named, uwsModule, isBehindProxy = false }: HttpServerChoice): HttpServerKind {
  if (named !== undefined && named !== 'uws' && named !== 'node')
    throw new Fault('configuration', `webserver-http-server: uws or node expected, got "${named}"`);
  if (uwsModule !== undefined) {
    if (named === 'node')
      throw new Fault(
        'configuration',
        'webserver-uws-module: webserver-http-server = node uses none; leave one of them out',
      );
    // Now, so that a wrong file is refused before anything is opened.
    const uws = loadUws(findUwsBinary(uwsModule));
    return uwsServer(`from ${uwsModule}, as webserver-uws-module says`, () => uws);
  }
  if (named === 'node') return nodeServer('as webserver-http-server says');
  if (named === undefined) return isBehindProxy ? nodeServer('because trusted-proxy is set') : httpServerInUse;
  if ('binary' in found)
    return uwsServer(`release ${UWS_VERSION}, as webserver-http-server says`, () => loadUws(found.binary));
  throw new Fault(
    'configuration',
    `webserver-http-server: ${found.why}; use node, or name a build by webserver-uws-module`,
  );
}

/** Returns the operator's line about a server: its name, and the reason for it. */
export function serverLine({ name, reason, install }: Pick<HttpServerKind, 'name' | 'reason' | 'install'>): string {
  return `${name}, ${reason}${install === undefined ? '' : ` (${install})`}`;
}

/** Opens HTTP and WebSocket on one port, by the server in use. Throws Fault `port_in_use`. */
export async function listen(options: HttpServerOptions): Promise<HttpServer> {
  return await httpServerInUse.open(options);
}

function nodeServer(reason: string, install?: string): HttpServerKind {
  const open: HttpServerKind['open'] = async (options) =>
    options.unixPath === undefined
      ? await sayingWhy(options, () => listenWithNode(options))
      : await listenWithNode(options);
  return { name: 'node:http', reason, install, open };
}

function uwsServer(reason: string, load: () => Uws): HttpServerKind {
  const open: HttpServerKind['open'] = async (options) => {
    const { listenWithUws } = await import('./uws_http_server.ts');
    return await sayingWhy(options, () => listenWithUws(options, load()));
  };
  return { name: 'uWebSockets.js', reason, open };
}
