import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { systemClock } from '../../../src/base/clock.ts';
import { chosenHttpServer, httpServerInUse } from '../../../src/jsonrpc/http/listen.ts';
import type { HttpServer, HttpServerKind, HttpServerOptions, Page } from '../../../src/jsonrpc/http/http_server.ts';
import type { Limits } from '../../../src/jsonrpc/limits/limits.ts';
import { sampleDispatcher, type Seen } from '../sample_methods.ts';

export type Open = HttpServerKind['open'];

/** The servers of this machine, which the same tests are run against. */
export const servers: readonly (readonly [string, Open])[] = kinds().map(({ name, open }) => [name, open]);

/** None on uWebSockets.js where it has no binary, but for the build that test/services may name. */
function kinds(): HttpServerKind[] {
  const uwsModule = process.env['TEST_UWS_MODULE'];
  const chosen = uwsModule === undefined ? httpServerInUse : chosenHttpServer({ named: 'uws', uwsModule });
  const node = chosenHttpServer({ named: 'node' });
  return chosen.name === node.name ? [node] : [chosen, node];
}

export interface Opened {
  readonly server: HttpServer;
  readonly port: number;
  readonly url: string;
  readonly seen: Seen;
}

/** A server before the sample methods, closed when the test is over. */
export async function listen(
  context: TestContext,
  open: Open,
  options: Partial<HttpServerOptions> = {},
  limits: Partial<Limits> = {},
): Promise<Opened> {
  const { dispatcher, seen, limits: all } = sampleDispatcher(limits);
  const server = await open({
    host: '127.0.0.1',
    port: 0,
    limits: all,
    clock: systemClock,
    allowedHosts: [],
    corsOrigins: [],
    trustedProxies: [],
    compresses: undefined,
    answer: (body, requestSource) => dispatcher.dispatch(body, requestSource),
    fromCache: (body, requestSource) => dispatcher.fromCache(body, requestSource),
    page: (path) => pages[path]?.(),
    ...options,
  });
  context.after(() => server.close(100));
  return { server, port: server.port, url: `http://127.0.0.1:${server.port}/`, seen };
}

const pages: Readonly<Record<string, () => Page | Promise<Page>>> = {
  '/health': () => ({ status: 200, contentType: 'text/plain', body: 'well' }),
  '/readyz': () => Promise.resolve({ status: 503, contentType: 'text/plain', body: 'syncing' }),
};

/** Returns a server's answer to these bytes, until it closes or `until` is received. */
export function sendRaw(port: number, request: string, until?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      heard += String(text);
      if (until !== undefined && heard.includes(until)) socket.destroy();
    });
    // A reset after the answer was heard is as good as a close.
    socket.on('error', (error) => (heard === '' ? reject(error) : undefined));
    socket.on('close', () => resolve(heard));
    socket.write(request);
  });
}

/** Sends these bytes and goes away without listening. */
export function sendAndLeave(port: number, request: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('close', () => resolve());
    socket.write(request, () => socket.resetAndDestroy());
  });
}

/** One POST with these header lines, as text. */
export function post(body: string, ...headers: readonly string[]): string {
  return [
    'POST / HTTP/1.1',
    'Host: localhost',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...headers,
    '',
    body,
  ].join('\r\n');
}

/** An open WebSocket, and what it hears. */
export class Client {
  readonly socket: WebSocket;
  /** The code that the connection was closed with. */
  readonly closed: Promise<number>;
  readonly #heard: string[] = [];
  readonly #listeners: ((text: string) => void)[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      const listener = this.#listeners.shift();
      if (listener === undefined) this.#heard.push(text);
      else listener(text);
    });
    this.closed = new Promise((resolve) => socket.on('close', (code) => resolve(code)));
  }

  /** Rejects with the status when the server refuses. */
  static open(context: TestContext, port: number, headers: Record<string, string> = {}): Promise<Client> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/any/path`, { headers });
    context.after(() => socket.terminate());
    const client = new Client(socket);
    return new Promise((resolve, reject) => {
      socket.on('open', () => resolve(client));
      socket.on('unexpected-response', (request, response) => {
        // An answer that nobody reads would keep its connection.
        request.destroy();
        reject(new Error(`the server answers ${response.statusCode}`));
      });
      socket.on('error', reject);
    });
  }

  async ask(message: string | Buffer): Promise<string> {
    this.socket.send(message);
    return await this.next();
  }

  async next(): Promise<string> {
    return this.#heard.shift() ?? (await new Promise((resolve) => this.#listeners.push(resolve)));
  }
}
