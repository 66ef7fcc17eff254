import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as PortServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { Fault } from '../../base/fault.ts';
import { filesUnknown, type OpenFiles } from './open_files.ts';
import type { Answer } from '../answer_writer.ts';
import type { RequestSource } from '../limits/request_source.ts';
import { Compression, PackedAnswer, type Reader } from './compression.ts';
import { closeCodes } from './close_codes.ts';
import {
  defaultDrainMs,
  HEAD_HEADER,
  type HttpServer,
  type HttpServerOptions,
  goodbyeMs,
  MIN_HEAD_HEADER,
} from './http_server.ts';
import { Drain } from './drain.ts';
import {
  closing,
  type Rejection,
  type Verdict,
  type Head,
  longHead,
  noToken,
  RequestGuard,
  statusTexts,
  tooMany,
  tooMuch,
  tooSlow,
  unreadable,
  rejectionHeaders,
} from './request_guard.ts';
import { showsToken } from './access_token.ts';
import { bareTrail, Clients, type HeadOf, isOfProxy, PostingClient, type ProxyTrail, withHeader } from './clients.ts';
import { newSenderId } from './sender_ids.ts';
import { ConnectionLimiter } from './connection_limiter.ts';
import { listenOnPath, UNIX_PEER, type UnixSocket } from './unix_socket.ts';
import { SocketFaults } from './socket_faults.ts';
import { NodeCaller } from './node_caller.ts';
import { ReceivedBytes } from './received_bytes.ts';
import { UnsentBytes } from './unsent_bytes.ts';

/** An answer that never has a body. */
const NOT_MODIFIED = 304;
/** A connection too many gets so long to ask for something, and to be told so. */
const TOO_MANY_MS = 1000;

/**
 * Opens HTTP and WebSocket on one port with node:http and ws: slower, but the same behaviour for clients. Throws Fault
 * `port_in_use`.
 */
export function listenWithNode(options: HttpServerOptions): Promise<HttpServer> {
  return new NodeHttpServer(options).open();
}

class NodeHttpServer implements HttpServer {
  readonly #options: HttpServerOptions;
  readonly #server: Server;
  readonly #webSockets: WebSocketServer;
  readonly #guard: RequestGuard;
  readonly #clients: Clients;
  readonly #compression: Compression;
  /** Connections of proxies so far. */
  #proxied = 0;
  readonly #limiter: ConnectionLimiter;
  readonly #files: OpenFiles;
  readonly #met = new WeakSet<Duplex>();
  /** Connections beyond the limits, which are told so when they ask for something. */
  readonly #tooMany = new WeakSet<Duplex>();
  /** The response that a connection was asked for last. */
  readonly #latest = new WeakMap<Duplex, ServerResponse>();
  readonly #unsent: UnsentBytes;
  readonly #received: ReceivedBytes;
  readonly #drain = new Drain();
  /** WebSockets that are open. */
  readonly #conversations = new Drain();
  readonly #faults = new SocketFaults();
  #closing: Promise<void> | undefined;
  #unixSocket: UnixSocket | undefined;

  constructor(options: HttpServerOptions) {
    const { limits } = options;
    this.#options = options;
    this.#guard = new RequestGuard(options);
    this.#compression = new Compression(options.compresses);
    this.#clients = new Clients(options.host, options.trustedProxies);
    this.#limiter = new ConnectionLimiter(limits.connectionsPerAddress, limits.connections);
    this.#unsent = new UnsentBytes(limits);
    this.#received = new ReceivedBytes(limits);
    this.#files = options.files ?? filesUnknown;
    this.#webSockets = new WebSocketServer({ noServer: true, maxPayload: limits.bodyBytes, perMessageDeflate: false });
    // The body deadline is handled here, so that it gets a response; the head's is left to node.
    this.#server = createServer({
      keepAliveTimeout: limits.idleMs,
      headersTimeout: limits.bodyDeadlineMs,
      requestTimeout: 0,
      maxHeaderSize: limits.headBytes,
      ...upgradesOnlyWebSockets,
    });
    this.#server.on('connection', (socket) => this.#meet(socket));
    const receive = (request: IncomingMessage, response: ServerResponse): void => {
      this.#latest.set(request.socket, response);
      for (const [name, value] of this.#guard.headersFor(request.headers.origin ?? '')) response.setHeader(name, value);
      if (this.#closing !== undefined) response.setHeader('Connection', 'close');
      this.#receive(request, response);
    };
    this.#server.on('request', receive);
    // An unknown expectation is answered all the same; node would refuse.
    this.#server.on('checkExpectation', receive);
    this.#server.on('clientError', (error, socket) => this.#hearNonsense(error, socket));
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  get webSockets(): number {
    return this.#webSockets.clients.size;
  }

  get socketFaults(): HttpServer['socketFaults'] {
    return this.#faults.counts;
  }

  connections(): Promise<number> {
    return new Promise((resolve) => this.#server.getConnections((_, count) => resolve(count)));
  }

  async open(): Promise<HttpServer> {
    const { host, port, unixPath } = this.#options;
    if (unixPath !== undefined) {
      this.#unixSocket = await listenOnPath(this.#server, unixPath);
      return this;
    }
    return await new Promise((resolve, reject) => {
      this.#server.once('error', (cause) =>
        reject(new Fault('port_in_use', `cannot listen on ${host} port ${port}`, cause)),
      );
      this.#server.listen({ host, port, exclusive: true }, () => resolve(this));
    });
  }

  close(drainMs = defaultDrainMs): Promise<void> {
    this.#closing ??= this.#close(drainMs);
    return this.#closing;
  }

  async #close(drainMs: number): Promise<void> {
    // A client that finds no socket knows that it waits for nothing.
    this.#unixSocket?.remove();
    // The port alone: http's own close would also end connections whose response is still being sent.
    PortServer.prototype.close.call(this.#server);
    // Open connections are served meanwhile, and told that they end: a proxy would hand on a refusal.
    await this.#drain.idle(drainMs, this.#options.clock);
    for (const socket of this.#webSockets.clients) socket.close(closeCodes.goingAway);
    await this.#conversations.idle(goodbyeMs, this.#options.clock);
    for (const socket of this.#webSockets.clients) socket.terminate();
    this.#server.closeAllConnections();
    // Nothing is left to close but http's look at slow heads each 30 seconds, which would keep this server in memory
    // for good.
    this.#server.close();
  }

  /** Every connection counts, whether it asks for something or not. */
  #meet(socket: Socket): void {
    // One whose offer of another protocol was turned down comes a second time.
    if (this.#met.has(socket)) return;
    this.#met.add(socket);
    const { clock } = this.#options;
    if (this.#files.isLow(clock.elapsedMs())) return void socket.destroy();
    const peer = this.#peerAddress(socket);
    // All clients of a proxy have its address: it is the proxy that limits their connections.
    const address = this.#clients.isProxy(peer) ? `${peer} ${this.#proxied++}` : peer;
    if (this.#limiter.enter(address)) return void socket.once('close', () => this.#limiter.leave(address));
    this.#tooMany.add(socket);
    const stop = clock.after(TOO_MANY_MS, () => socket.destroy(), false);
    socket.once('close', stop);
  }

  #peerAddress({ remoteAddress = '' }: Socket): string {
    return this.#options.unixPath === undefined ? remoteAddress : UNIX_PEER;
  }

  #clientOf(request: IncomingMessage): PostingClient {
    const peer = this.#peerAddress(request.socket);
    return new NodeClient(this.#clients, proxyTrail(request), minHeadHeader(request), this.#options.head, peer);
  }

  #verdictOn({ socket }: IncomingMessage, verdict: () => Verdict): Verdict {
    return this.#tooMany.has(socket) ? tooMany : verdict();
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const verdict = this.#verdictOn(request, () => this.#guard.receive(requestHead(request)));
    if (verdict.kind !== 'rejection' && this.#lacksToken(request)) return this.#reject(response, noToken);
    if (verdict.kind === 'page') return this.#showPage(request, response);
    if (verdict.kind === 'rejection') return this.#reject(response, verdict);
    this.#takeBody(request, response);
  }

  #lacksToken({ headers, url = '' }: IncomingMessage): boolean {
    const { token } = this.#options;
    return token !== undefined && !showsToken(token, headers.authorization ?? '', url.slice(url.indexOf('?') + 1));
  }

  #takeBody(request: IncomingMessage, response: ServerResponse): void {
    const { limits, clock } = this.#options;
    const { address } = this.#clientOf(request);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const drop = (): void => {
      stop();
      this.#received.release(address, bytes);
      bytes = chunks.length = 0;
    };
    const refuse = (rejection: Rejection): void => {
      request.removeAllListeners('data');
      drop();
      this.#reject(response, rejection);
    };
    const stop = clock.after(limits.bodyDeadlineMs, () => refuse(tooSlow));
    response.once('close', drop);
    request.on('data', (chunk: Buffer) => {
      if (bytes + chunk.length > limits.bodyBytes) return refuse(this.#guard.tooLarge());
      if (!this.#received.take(address, chunk.length)) return refuse(tooMuch);
      bytes += chunk.length;
      chunks.push(chunk);
    });
    request.once('end', () => {
      const body = Buffer.concat(chunks);
      drop();
      if (!response.headersSent) this.#answer(request, response, body);
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const client = this.#clientOf(request);
    client.lookAtHead();
    const answer = this.#options.answer(body, client);
    const reader = bodyReader(request, client);
    if (!(answer instanceof Promise)) return this.#send(response, this.#compression.pack(answer, reader), client.head);
    this.#drain.enter();
    void answer
      .then((text) => this.#compression.packLater(text, reader))
      .then((text) => {
        if (!response.destroyed) this.#send(response, text, client.head);
        this.#drain.leave();
      });
  }

  #send(response: ServerResponse, answer: Answer | PackedAnswer, head: string | undefined): void {
    this.#drain.enter();
    response.once('close', () => this.#drain.leave());
    if (this.#closing !== undefined) response.setHeader('Connection', 'close');
    if (head !== undefined) response.setHeader(HEAD_HEADER, head);
    if (answer === undefined) return void response.writeHead(204).end();
    if (answer instanceof PackedAnswer) for (const [name, value] of answer.headers) response.setHeader(name, value);
    const body = answer instanceof PackedAnswer ? answer.body : Buffer.from(answer);
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
    this.#watchReader(response);
  }

  /**
   * Bytes that the connection did not take at once wait in memory, where they are counted, until they are read or their
   * time is over.
   */
  #watchReader(response: ServerResponse): void {
    const { writableLength: unsent } = response;
    const { socket } = response.req;
    if (unsent === 0 || response.writableFinished) return;
    const { address } = this.#clientOf(response.req);
    if (!this.#unsent.change(address, 0, unsent)) return void socket.destroy();
    const { clock, limits } = this.#options;
    const stop = clock.after(limits.answerDeadlineMs, () => socket.destroy());
    response.once('close', () => {
      stop();
      this.#unsent.change(address, unsent, 0);
    });
  }

  #showPage(request: IncomingMessage, response: ServerResponse): void {
    const path = requestPath(request);
    const { accept = '', 'accept-encoding': acceptEncoding = '', 'if-none-match': ifNoneMatch = '' } = request.headers;
    const { address, isLocal } = this.#clientOf(request);
    const found = this.#options.page(path, { accept, acceptEncoding, ifNoneMatch, address, isLocal });
    if (found === undefined) return this.#reject(response, this.#guard.noPage(path));
    void Promise.resolve(found).then(({ status, contentType, body, headers = [] }) => {
      response.setHeader('Content-Type', contentType);
      for (const [name, value] of headers) response.setHeader(name, value);
      if (status === NOT_MODIFIED) response.writeHead(status).end();
      else response.writeHead(status, { 'Content-Length': Buffer.byteLength(body) }).end(body);
      this.#watchReader(response);
    });
  }

  /**
   * Rejects the request and ends its connection. An unwanted body is read to the end for a while: closed earlier, the
   * connection would be reset under a sender, and the answer with it.
   */
  #reject(response: ServerResponse, rejection: Rejection): void {
    const { status, reason } = rejection;
    const { req: request } = response;
    if (response.headersSent) return;
    for (const [name, value] of rejectionHeaders(rejection)) response.setHeader(name, value);
    if (status === 204) return void response.writeHead(204).end();
    response.writeHead(status, {
      'Content-Type': 'text/plain',
      'Content-Length': Buffer.byteLength(reason),
      Connection: 'close',
    });
    if (rejection === tooSlow || rejection === unreadable) return void response.end(reason);
    response.write(reason);
    const stop = this.#options.clock.after(this.#options.limits.bodyDeadlineMs, () => response.end(), false);
    response.once('close', stop);
    request.once('end', () => response.end());
    request.resume();
  }

  /** The client has sent no HTTP, or too much. Earlier requests are answered first. */
  #hearNonsense(error: Error, socket: Duplex): void {
    const code = 'code' in error ? error.code : '';
    const rejection =
      code === 'HPE_HEADER_OVERFLOW' ? longHead : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? tooSlow : unreadable;
    const latest = this.#latest.get(socket);
    if (code === 'ECONNRESET') return void socket.destroy();
    if (latest?.req.complete === false && !latest.headersSent) return this.#reject(latest, rejection);
    if (latest === undefined || latest.writableFinished) return refuseRaw(socket, rejection);
    latest.once('close', () => refuseRaw(socket, rejection));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!isWebSocket(request)) return this.#ignoreOffer(request, socket, head);
    const { host = '', origin = '' } = request.headers;
    const verdict =
      this.#closing === undefined ? this.#verdictOn(request, () => this.#guard.receiveUpgrade(host, origin)) : closing;
    if (verdict.kind === 'rejection') return refuseRaw(socket, verdict);
    if (this.#lacksToken(request)) return refuseRaw(socket, noToken);
    const client = this.#clientOf(request);
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => this.#welcome(webSocket, client));
  }

  /**
   * Java's client offers HTTP/2 with each first request. It is heard again without the offer, by the protocol that it
   * came in. Node 20 needs that, and 22 and 24 in their first releases; others decline it themselves.
   */
  #ignoreOffer(
    { method = '', url = '', httpVersion, rawHeaders }: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): void {
    const lines = [`${method} ${url} HTTP/${httpVersion}`];
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? '';
      if (!/^(?:upgrade|http2-settings)$/i.test(name)) lines.push(`${name}: ${rawHeaders[at + 1] ?? ''}`);
    }
    socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
    this.#server.emit('connection', socket);
  }

  #welcome(socket: WebSocket, { address, isLocal }: PostingClient): void {
    const { limits } = this.#options;
    const caller = new NodeCaller(socket, { address, most: limits.unsentBytes, held: this.#unsent });
    this.#conversations.enter();
    socket.once('close', () => this.#conversations.leave());
    const senderId = newSenderId();
    const requestSource: RequestSource = {
      subscriber: caller,
      address,
      isLocal,
      minHead: '',
      senderIdOf: () => senderId,
    };
    let waiting = 0;
    // The library closes the connection after any error of its own; the error itself is of no interest.
    socket.on('error', (error) => {
      this.#faults.countError(error);
      socket.terminate();
    });
    socket.on('message', (message, isBinary) => {
      if (!caller.isOpen()) return;
      if (isBinary || !Buffer.isBuffer(message)) return void caller.push('error: string payload expected');
      const answer = this.#options.answer(message, requestSource);
      if (!(answer instanceof Promise)) return void (answer !== undefined && caller.push(answer));
      if (++waiting > limits.callsPerSocket) return socket.close(closeCodes.tryLater, 'too many calls at once');
      this.#drain.enter();
      void answer.then((text) => {
        waiting--;
        if (text !== undefined) caller.push(text);
        this.#drain.leave();
      });
    });
  }
}

/** The sender of a request. */
class NodeClient extends PostingClient {
  readonly #peer: string;

  constructor(
    clients: Clients,
    trail: ProxyTrail | undefined,
    minHead: string,
    toldHead: HeadOf | undefined,
    peer: string,
  ) {
    super(clients, trail, minHead, toldHead);
    this.#peer = peer;
  }

  peer(): string {
    return this.#peer;
  }
}

/** The head that is asked for; '' when none is. */
function minHeadHeader({ headers: { [MIN_HEAD_HEADER]: asked } }: IncomingMessage): string {
  return asked === undefined ? '' : String(asked) || ' ';
}

/**
 * Reads the headers that show a proxy. Programs of today that speak HTTP/1.0 are proxies, too, and some send no such
 * header.
 */
function proxyTrail({ httpVersion, rawHeaders }: IncomingMessage): ProxyTrail | undefined {
  let trail = httpVersion === '1.0' ? bareTrail : undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (isOfProxy(name)) trail = withHeader(trail, name, rawHeaders[at + 1] ?? '');
  }
  return trail;
}

/** Refuses on a socket without a response to write to. */
function refuseRaw(socket: Duplex, rejection: Rejection): void {
  if (!socket.writable) return void socket.destroy();
  const { status, reason } = rejection;
  const more = rejectionHeaders(rejection).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${statusTexts[status] ?? status}\r\n${more.join('')}Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(reason)}\r\nConnection: close\r\n\r\n`;
  socket.on('error', () => socket.destroy());
  socket.end(head + reason, () => socket.destroy());
}

/** HTTP/1.0 has no Host, and no browser speaks it, whose page could have been rebound to here. */
function hostHeader({ httpVersion, headers }: IncomingMessage): string {
  return headers.host ?? (httpVersion === '1.0' ? 'localhost' : '');
}

/**
 * Newer Nodes ask this before they hand a connection over; the types are those of Node 20, which has no such option.
 */
const upgradesOnlyWebSockets = { shouldUpgradeCallback: isWebSocket };

function bodyReader({ headers }: IncomingMessage, client: PostingClient): Reader {
  return {
    acceptEncoding: headers['accept-encoding'] ?? '',
    get isLocal() {
      return client.isLocal;
    },
  };
}

/** Returns whether a client asks for what it says to upgrade to, and means a WebSocket. */
function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-key'] !== undefined
  );
}

function requestHead(request: IncomingMessage): Head {
  const { method = '', headers, rawHeaders } = request;
  let lengths = 0;
  let hosts = 0;
  let headBytes = 0;
  for (let k = 0; k < rawHeaders.length; k += 2) {
    const name = rawHeaders[k]?.toLowerCase() ?? '';
    headBytes += name.length + (rawHeaders[k + 1]?.length ?? 0);
    if (name === 'content-length') lengths++;
    else if (name === 'host') hosts++;
  }
  return {
    method: method.toLowerCase(),
    host: hostHeader(request),
    origin: headers.origin ?? '',
    contentType: headers['content-type'] ?? '',
    contentLength: headers['content-length'] ?? '',
    contentEncoding: headers['content-encoding'] ?? '',
    transferEncoding: headers['transfer-encoding'] ?? '',
    ambiguous: lengths > 1 || hosts > 1,
    headBytes,
  };
}

/** A proxy may be asked for the whole URL, and this is no proxy. */
function requestPath({ url = '/' }: IncomingMessage): string {
  return url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] || '/';
}
