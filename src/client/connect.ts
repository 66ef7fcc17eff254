import { Fault } from '../base/fault.ts';
import type { Clock } from '../base/clock.ts';
import type { NodeConnection } from './connection.ts';
import { HttpConnection } from './http_connection.ts';
import type { SeenHead } from './seen_head.ts';
import { SocketConnection } from './socket_connection.ts';

/** A connection to the node at an http, https, ws or wss address; connects at the first call, and again after a lost connection. Calls ask for `head`. */
export function connectTo(url: string, clock: Clock, head?: SeenHead): NodeConnection {
  const protocol = protocolOf(url);
  if (protocol === 'http:' || protocol === 'https:') return new HttpConnection(url, head);
  if (protocol === 'ws:' || protocol === 'wss:') return new SocketConnection(url, clock, head);
  throw new Fault('configuration', `${url}: the address of a node starts with ws://, wss://, http:// or https://`);
}

/** The same for http or https only, for callers that send batches. */
export function connectOverHttp(url: string): HttpConnection {
  const protocol = protocolOf(url);
  if (protocol === 'http:' || protocol === 'https:') return new HttpConnection(url);
  throw new Fault('configuration', `${url}: batches go to an address that starts with http:// or https://`);
}

function protocolOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).protocol : undefined;
}
