import type { HttpRequest, HttpResponse, SocketContext, TemplatedApp, Uws } from './uws.ts';
import type { Answer } from '../answer_writer.ts';
import { defaultDrainMs, HEAD_HEADER, type HttpServer, type HttpServerOptions } from './http_server.ts';
import { Drain } from './drain.ts';
import { Compression, PackedAnswer } from './compression.ts';
import { closeCodes } from './close_codes.ts';
import { Clients } from './clients.ts';
import {
  type Rejection,
  type Verdict,
  closing,
  hasBody,
  noToken,
  RequestGuard,
  tooMany,
  tooMuch,
  tooSlow,
} from './request_guard.ts';
import { showsToken } from './access_token.ts';
import { ReceivedBytes } from './received_bytes.ts';
import { UnsentBytes } from './unsent_bytes.ts';
import { type Asked, remoteAddress, endHead, sendRejection, statusText, writeHeaders } from './uws_answers.ts';
import { UwsHead } from './uws_head.ts';
import { Incoming } from './uws_incoming.ts';
import { UwsPort } from './uws_port.ts';
import { type Upgrade, UwsSockets } from './uws_sockets.ts';
import { ConnectionLimiter } from './connection_limiter.ts';

/** uWebSockets.js counts idle time in seconds and takes 8 to 960. */
const idleSeconds = (idleMs: number): number => Math.min(960, Math.max(8, Math.round(idleMs / 1000)));
/**
 * Its limit on idle HTTP connections can't be set: it closes them after 8 to 12 seconds, and clients keep them for so
 * long at the most.
 */
const KEEP_ALIVE = 'timeout=8';
/** Characters or bytes: nearly always what a connection takes at once. */
const SMALL_ANSWER = 16 * 1024;
/** One of this many small answers tests whether its reader keeps up; by chance, so that nobody can avoid it. */
const SMALL_ANSWERS_A_TRY = 16;
/**
 * The binding closes a WebSocket without a word for a message above its limit. Its limit is this multiple of ours, so
 * that messages somewhat above ours get a reason.
 */
const LONG_MESSAGES = 2;
/** The headers that decide which page is shown, and how. */
const pageHeaders = ['accept', 'accept-encoding', 'if-none-match'] as const;
/** An answer that never has a body. */
const NOT_MODIFIED = 304;
/** The time between two looks for bodies that come too slowly. */
const sweepMs = 250;

/** Opens HTTP and WebSocket on one port with uWebSockets.js. Throws Fault `port_in_use`. */
export function listenWithUws(options: HttpServerOptions, uws: Uws): HttpServer {
  return new UwsHttpServer(options, uws).open();
}

/** An answer that its reader is slow to take. */
interface Sending {
  readonly response: HttpResponse;
  readonly address: string;
  readonly bytes: Uint8Array;
  /** The number of the sweep that finds its reader too slow. */
  readonly lastSweep: number;
}

class UwsHttpServer implements HttpServer {
  readonly #options: HttpServerOptions;
  readonly #app: TemplatedApp;
  readonly #guard: RequestGuard;
  readonly #clients: Clients;
  readonly #compression: Compression;
  readonly #limiter: ConnectionLimiter;
  readonly #drain = new Drain();
  readonly #head = new UwsHead();
  readonly #incoming = new Set<Incoming>();
  readonly #sending = new Set<Sending>();
  readonly #unsent: UnsentBytes;
  readonly #received: ReceivedBytes;
  readonly #port: UwsPort;
  /** Small answers that are sent untested before the next test. */
  #untried = 0;
  /**
   * The latest one, which joins the others when its body is not complete before the next head: nearly all bodies arrive
   * with their heads.
   */
  #latest: Incoming | undefined;
  readonly #sockets: UwsSockets;
  /** The number of sweeps so far; the deadline of a body is counted in them, because reading the clock is not free. */
  #sweeps = 0;
  readonly #sweepsForBody: number;
  readonly #sweepsForAnswer: number;
  /** Undefined while there is nothing that may come or go too slowly. */
  #stopSweeping: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HttpServerOptions, uws: Uws) {
    this.#options = options;
    this.#app = uws.App();
    this.#port = new UwsPort(this.#app, uws, options);
    this.#guard = new RequestGuard(options);
    this.#compression = new Compression(options.compresses);
    this.#clients = new Clients(options.host, options.trustedProxies);
    this.#sweepsForBody = Math.ceil(options.limits.bodyDeadlineMs / sweepMs) + 1;
    this.#sweepsForAnswer = Math.ceil(options.limits.answerDeadlineMs / sweepMs) + 1;
    this.#unsent = new UnsentBytes(options.limits);
    this.#received = new ReceivedBytes(options.limits);
    this.#limiter = new ConnectionLimiter(options.limits.connectionsPerAddress, options.limits.connections);
    this.#sockets = new UwsSockets(options, this.#unsent, this.#drain, (address) => {
      this.#port.leaveSocket();
      this.#limiter.leave(address);
    });
  }

  get port(): number {
    return this.#port.number;
  }

  get webSockets(): number {
    return this.#sockets.count;
  }

  get socketFaults(): HttpServer['socketFaults'] {
    return this.#sockets.faults;
  }

  connections(): Promise<number> {
    return Promise.resolve(this.#port.connections);
  }

  open(): HttpServer {
    const { limits } = this.#options;
    this.#app.any('/*', (response, request) => this.#receive(response, request));
    this.#app.ws<Upgrade>('/*', {
      maxPayloadLength: LONG_MESSAGES * limits.bodyBytes,
      maxBackpressure: limits.unsentBytes,
      idleTimeout: idleSeconds(limits.idleMs),
      upgrade: (response, request, context) => this.#upgrade(response, request, context),
      open: (socket) => this.#sockets.add(socket),
      message: (socket, message, isBinary) => this.#sockets.receive(socket, message, isBinary),
      drain: (socket) => this.#sockets.noteDrained(socket),
      close: (socket, code, reason) =>
        this.#sockets.remove(socket, code === closeCodes.abnormal ? Buffer.from(reason).toString() : ''),
    });
    this.#port.open();
    return this;
  }

  close(drainMs = defaultDrainMs): Promise<void> {
    this.#closing ??= this.#close(drainMs);
    return this.#closing;
  }

  async #close(drainMs: number): Promise<void> {
    this.#port.close();
    // Open connections are served meanwhile, and told that they end: a proxy would hand on a refusal.
    await this.#drain.idle(drainMs, this.#options.clock);
    this.#stopSweeping?.();
    for (const { response, gone } of this.#allIncoming()) if (!gone) response.close();
    await this.#sockets.endAll();
    // Kept-alive connections would delay the end of the process until their idle timeout.
    this.#app.close();
  }

  #receive(response: HttpResponse, request: HttpRequest): void {
    const head = this.#head.read(request);
    const headers = this.#guard.headersFor(head.origin);
    const incoming = new Incoming(
      this.#clients,
      response,
      head,
      headers,
      this.#sweeps + this.#sweepsForBody,
      this.#options.head,
    );
    if (this.#compression.isEnabled) incoming.acceptEncoding = request.getHeader('accept-encoding');
    const verdict = this.#verdictOn(head, request);
    if (verdict.kind === 'call') return this.#takeBody(incoming);
    if (verdict.kind === 'page') return this.#showPage(incoming, request);
    if (!hasBody(head)) return sendRejection(incoming, verdict);
    incoming.refused = verdict;
    this.#takeBody(incoming);
  }

  #verdictOn(head: UwsHead, request: HttpRequest): Verdict {
    const verdict = this.#guard.receive(head);
    return verdict.kind !== 'rejection' && this.#lacksToken(request) ? noToken : verdict;
  }

  #lacksToken(request: HttpRequest): boolean {
    const { token } = this.#options;
    return token !== undefined && !showsToken(token, request.getHeader('authorization'), request.getQuery());
  }

  #takeBody(incoming: Incoming): void {
    const { response } = incoming;
    if (this.#latest !== undefined) this.#incoming.add(this.#latest);
    this.#latest = incoming;
    this.#sweepLater();
    response.onAborted(() => this.#lose(incoming));
    response.onData((chunk, isLast) => this.#hearBody(incoming, chunk, isLast));
  }

  #hearBody(incoming: Incoming, chunk: ArrayBuffer, isLast: boolean): void {
    if (incoming.gone) return;
    if (incoming.refused !== undefined) return this.#hearRefused(incoming, incoming.refused, isLast);
    incoming.bytes += chunk.byteLength;
    if (incoming.bytes > this.#options.limits.bodyBytes)
      return this.#refuseRest(incoming, this.#guard.tooLarge(), isLast);
    if (!isLast) this.#keepPart(incoming, chunk);
    else if (incoming.chunks === undefined) this.#answer(incoming, new Uint8Array(chunk));
    else this.#answer(incoming, Buffer.concat([...incoming.chunks, new Uint8Array(chunk)]));
  }

  #keepPart(incoming: Incoming, chunk: ArrayBuffer): void {
    if (!this.#received.take(incoming.address, chunk.byteLength)) return this.#refuseRest(incoming, tooMuch, false);
    incoming.held += chunk.byteLength;
    (incoming.chunks ??= []).push(Buffer.from(chunk.slice(0)));
  }

  #refuseRest(incoming: Incoming, rejection: Rejection, isLast: boolean): void {
    incoming.refused = rejection;
    this.#dropParts(incoming);
    this.#hearRefused(incoming, rejection, isLast);
  }

  #dropParts(incoming: Incoming): void {
    incoming.chunks = undefined;
    if (incoming.held > 0) this.#received.release(incoming.address, incoming.held);
    incoming.held = 0;
  }

  /**
   * Closing under a sender would reset the connection, and the answer with it. So the rest of the body is read and
   * dropped until it ends or comes too slowly.
   */
  #hearRefused(incoming: Incoming, rejection: Rejection, isLast: boolean): void {
    if (isLast) this.#rejectIncoming(incoming, rejection);
  }

  #allIncoming(): Incoming[] {
    return this.#latest === undefined ? [...this.#incoming] : [...this.#incoming, this.#latest];
  }

  /** Its body is complete, or no longer wanted. */
  #forget(incoming: Incoming): void {
    this.#dropParts(incoming);
    if (this.#latest === incoming) this.#latest = undefined;
    else this.#incoming.delete(incoming);
  }

  #lose(incoming: Incoming): void {
    incoming.gone = true;
    this.#forget(incoming);
  }

  #answer(incoming: Incoming, bytes: Uint8Array): void {
    this.#forget(incoming);
    const { answer: find, fromCache } = this.#options;
    incoming.lookAtHead();
    const known = fromCache?.(bytes, incoming);
    if (known !== undefined) return this.#send(incoming, this.#compression.pack(known, incoming));
    const answer = find(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), incoming);
    if (!(answer instanceof Promise)) return this.#send(incoming, this.#compression.pack(answer, incoming));
    const { address } = incoming;
    if (!this.#limiter.enter(address)) return this.#rejectIncoming(incoming, tooMany);
    this.#drain.enter();
    // The binding closes a connection on which a request comes before the answer to the last one. So the next one waits
    // in the system.
    incoming.response.pause();
    void answer
      .then((text) => this.#compression.packLater(text, incoming))
      .then((text) => {
        this.#limiter.leave(address);
        if (!incoming.gone) incoming.response.cork(() => this.#sendLate(incoming, text));
        this.#drain.leave();
      });
  }

  #sendLate(incoming: Incoming, answer: Answer | PackedAnswer): void {
    incoming.response.resume();
    this.#send(incoming, answer);
  }

  #send(asked: Asked, answer: Answer | Uint8Array | PackedAnswer): void {
    const { response, headers } = asked;
    if (answer === undefined) response.writeStatus('204 No Content');
    else response.writeHeader('Content-Type', 'application/json');
    if (asked.head !== undefined) response.writeHeader(HEAD_HEADER, asked.head);
    this.#writePersistence(asked);
    writeHeaders(response, headers);
    if (answer instanceof PackedAnswer) writeHeaders(response, answer.headers);
    // Without arguments: any length given here would be sent as Content-Length.
    if (answer === undefined) response.endWithoutBody();
    else this.#sendBody(asked, answer instanceof PackedAnswer ? answer.body : answer);
  }

  /**
   * As much as the connection takes at once, nearly always all of it. What is left stays here, where it is counted. The
   * binding takes longer for that, so of small answers only some find out whether their reader keeps up.
   */
  #sendBody(asked: Asked, body: string | Uint8Array): void {
    const { response, closesUnnoticed } = asked;
    // A large answer leaves the close to its client: the binding closes behind nothing that it takes in parts.
    if (closesUnnoticed && body.length <= SMALL_ANSWER) return void response.end(body, true);
    if (body.length <= SMALL_ANSWER && this.#untried-- > 0) return void response.end(body);
    this.#untried = Math.floor(Math.random() * 2 * SMALL_ANSWERS_A_TRY);
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const [, isSent] = response.tryEnd(body, size);
    if (!isSent) this.#keepSending(asked, Buffer.from(body));
  }

  #keepSending({ response, trail }: Asked, bytes: Uint8Array): void {
    const sending: Sending = {
      response,
      address: this.#clients.addressOf(remoteAddress(response), trail),
      bytes,
      lastSweep: this.#sweeps + this.#sweepsForAnswer,
    };
    if (!this.#unsent.change(sending.address, 0, bytes.length)) return void response.close();
    this.#sending.add(sending);
    this.#sweepLater();
    this.#drain.enter();
    response.onAborted(() => this.#endSending(sending));
    response.onWritable((offset) => {
      const [isWritten, isSent] = response.tryEnd(bytes.subarray(offset), bytes.length);
      if (isSent) this.#endSending(sending);
      return isWritten;
    });
  }

  #endSending(sending: Sending): void {
    if (!this.#sending.delete(sending)) return;
    this.#unsent.change(sending.address, sending.bytes.length, 0);
    this.#drain.leave();
  }

  #showPage(asked: Incoming, request: HttpRequest): void {
    const { response, isHead, headers, address, isLocal } = asked;
    const path = request.getUrl();
    const [accept = '', acceptEncoding = '', ifNoneMatch = ''] = pageHeaders.map((name) => request.getHeader(name));
    const found = this.#options.page(path, { accept, acceptEncoding, ifNoneMatch, address, isLocal });
    if (found === undefined) return sendRejection(asked, this.#guard.noPage(path));
    let gone = false;
    response.onAborted(() => void (gone = true));
    void Promise.resolve(found).then(({ status, contentType, body, headers: own = [] }) => {
      if (gone) return;
      response.cork(() => {
        response.writeStatus(statusText(status)).writeHeader('Content-Type', contentType);
        this.#writePersistence(asked);
        writeHeaders(response, headers);
        writeHeaders(response, own);
        if (status === NOT_MODIFIED) response.endWithoutBody();
        else if (isHead) endHead(response, body);
        else this.#sendBody(asked, body);
      });
    });
  }

  #rejectIncoming(incoming: Incoming, verdict: Rejection): void {
    this.#lose(incoming);
    sendRejection(incoming, verdict);
  }

  /**
   * uWebSockets.js closes when the client asks for it, and leaves it to us to say so: a client that isn't told keeps
   * the connection.
   */
  #writePersistence({ response, closes, closesUnnoticed }: Asked): void {
    if (closesUnnoticed) return;
    if (closes || this.#closing !== undefined) response.writeHeader('Connection', 'close');
    else response.writeHeader('Keep-Alive', KEEP_ALIVE);
  }

  /**
   * Rejects bodies that arrive too slowly, and leaves readers that are too slow; one timer for all adds no cost per
   * request.
   */
  #sweep(): void {
    this.#stopSweeping = undefined;
    this.#sweeps++;
    for (const incoming of this.#allIncoming()) {
      // In the order of their deadlines, so the first with time left ends the search.
      if (incoming.lastSweep > this.#sweeps) break;
      incoming.response.cork(() => this.#rejectIncoming(incoming, incoming.refused ?? tooSlow));
    }
    for (const { response, lastSweep } of this.#sending) {
      if (lastSweep > this.#sweeps) break;
      response.close();
    }
    if (this.#latest !== undefined || this.#incoming.size > 0 || this.#sending.size > 0) this.#sweepLater();
  }

  #sweepLater(): void {
    this.#stopSweeping ??= this.#options.clock.after(sweepMs, () => this.#sweep());
  }

  #upgrade(response: HttpResponse, request: HttpRequest, context: SocketContext): void {
    const { host, origin, trail } = this.#head.read(request);
    const verdict = this.#closing === undefined ? this.#guard.receiveUpgrade(host, origin) : closing;
    const asked: Asked = { response, closes: false, closesUnnoticed: false, isHead: false, headers: [], trail };
    if (verdict.kind === 'rejection') return sendRejection(asked, verdict);
    if (this.#lacksToken(request)) return sendRejection(asked, noToken);
    const peer = remoteAddress(response);
    const address = this.#clients.addressOf(peer, trail);
    const isLocal = this.#clients.isLocal({ trail, address: peer });
    if (!this.#limiter.enter(address)) return sendRejection(asked, tooMany);
    const [key, protocol, extensions] = ['sec-websocket-key', 'sec-websocket-protocol', 'sec-websocket-extensions'].map(
      (name) => request.getHeader(name),
    );
    const data: Upgrade = { address, isLocal };
    response.upgrade(data, key ?? '', protocol ?? '', extensions ?? '', context);
  }
}
