import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** A call as it came. */
export interface FakeCall {
  readonly id: number;
  readonly method: string;
  readonly min_head?: number;
  /** The params of a subscription. */
  readonly params?: { readonly return_id?: number; readonly resume?: string; readonly [member: string]: unknown };
}

/** A node that answers as a test says. */
export interface FakeNode {
  readonly port: number;
  readonly url: string;
  readonly server: Server;
  /** The methods that were called, in order. */
  readonly asked: string[];
  /** The methods of each request over HTTP, a list where it was a batch. */
  readonly bodies: (string | readonly string[])[];
  /** The headers of each request over HTTP. */
  readonly headers: IncomingHttpHeaders[];
  /** The number of WebSockets that were opened. */
  connections: number;
  /** Sends items of a subscription to all WebSockets. */
  notify(returnId: number, items: readonly unknown[]): void;
  /** Ends all connections. */
  drop(): void;
}

const closing: (() => void)[] = [];

/** Ends the nodes that were started: each file that starts some calls it when its tests are over. */
export function closeFakeNodes(): void {
  for (const close of closing.splice(0)) close();
}

/** Starts a node over HTTP and WebSocket. `answer` returns the text of a response; where it returns none, none comes. */
export async function fakeNode(answer: (call: FakeCall) => string | undefined, port = 0): Promise<FakeNode> {
  const respond = (json: FakeCall | readonly FakeCall[]): string | undefined => {
    const calls = isBatch(json) ? json : [json];
    node.asked.push(...calls.map(({ method }) => method));
    const texts = calls.map(answer).filter((text) => text !== undefined);
    if (texts.length === 0) return undefined;
    return isBatch(json) ? `[${texts.join(',')}]` : texts[0];
  };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const json: FakeCall | readonly FakeCall[] = JSON.parse(Buffer.concat(pieces).toString());
      node.bodies.push(isBatch(json) ? json.map(({ method }) => method) : json.method);
      node.headers.push(request.headers);
      const text = respond(json);
      if (text !== undefined) response.end(text);
    });
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    node.connections++;
    socket.on('message', (message: Buffer) => {
      const text = respond(JSON.parse(message.toString()));
      if (text !== undefined) socket.send(text);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const node: FakeNode = {
    port: taken,
    url: `http://127.0.0.1:${taken}`,
    server,
    asked: [],
    bodies: [],
    headers: [],
    connections: 0,
    notify(returnId, items) {
      const text = JSON.stringify({ jsonrpc: '2.0', method: 'notice', params: [returnId, items] });
      for (const socket of sockets.clients) socket.send(text);
    },
    drop() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
    },
  };
  closing.push(() => {
    node.drop();
    server.close();
  });
  return node;
}

function isBatch(json: FakeCall | readonly FakeCall[]): json is readonly FakeCall[] {
  return Array.isArray(json);
}

/** The text of a response with a result. */
export function resultText(id: number, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}
