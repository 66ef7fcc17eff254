import { Fault } from '../base/fault.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import type { NodeConnection } from './connection.ts';
import { HttpConnection } from './http_connection.ts';
import type { HttpConnectionOptions } from './http_options.ts';
import type { SeenHead } from './seen_head.ts';
import { SocketConnection } from './socket_connection.ts';
import { NOT_IN_SOCKET_PATHS, parseUnixPath } from './unix_address.ts';

/**
 * A connection to the node at an http, https, ws or wss address, or at a Unix socket (`unix:PATH`, and `ws+unix:PATH`
 * for WebSocket). It connects at the first call, and again after a lost connection. Calls ask for `head`. The options
 * are for HTTP.
 */
export function openConnection(
  url: string,
  clock: Clock,
  head?: SeenHead,
  options: HttpConnectionOptions = {},
): NodeConnection {
  const protocol = urlProtocol(url);
  if (speaksHttp(protocol)) return new HttpConnection(url, clock, head, options);
  if (protocol === 'ws:' || protocol === 'wss:') return new SocketConnection(url, clock, head);
  if (protocol === 'ws+unix:') return new SocketConnection(socketUrl(url), clock, head);
  throw new Fault(
    'configuration',
    `${url}: the address of a node starts with ws://, wss://, http://, https:// or unix:`,
  );
}

/** The same without WebSocket, for callers that send batches. */
export function connectOverHttp(url: string): HttpConnection {
  const protocol = urlProtocol(url);
  if (speaksHttp(protocol)) return new HttpConnection(url, systemClock);
  throw new Fault('configuration', `${url}: batches go to an address that starts with http://, https:// or unix:`);
}

/** Returns whether calls to an address go over HTTP: to http://, https:// and unix:. */
export function isHttpAddress(url: string): boolean {
  return speaksHttp(urlProtocol(url));
}

function speaksHttp(protocol: string | undefined): boolean {
  return protocol === 'http:' || protocol === 'https:' || protocol === 'unix:';
}

/** The address as the package ws reads it: the path of the socket, then that of the request. */
function socketUrl(address: string): string {
  const path = parseUnixPath(address) ?? '';
  if (!NOT_IN_SOCKET_PATHS.test(path)) return `ws+unix:${path}:/`;
  throw new Fault(
    'configuration',
    `${address}: a WebSocket's address can't carry this path; use unix: instead of ws+unix:`,
  );
}

function urlProtocol(url: string): string | undefined {
  requireNoUser(url);
  return URL.canParse(url) ? new URL(url).protocol : undefined;
}

/** Refuses an address with a user or a password, which stands in no error: errors name addresses, and go to logs. */
export function requireNoUser(url: string): void {
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: '', password: '' };
  if (username !== '' || password !== '')
    throw new Fault(
      'configuration',
      'the address of a node has no user and no password, which nodes do not ask for: a proxy that does takes them in a header',
    );
}
