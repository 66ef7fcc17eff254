import { Agent, request, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { Refusal } from '../base/refusal.ts';
import { LARGEST_ANSWER_BYTES, readBatch, type Outcome } from '../client/answer.ts';

/** The destination of posts. */
export interface PostLink {
  /** The outcome of each call of a post. Never rejects: a failure is the outcome of all its calls. */
  post(body: Uint8Array, calls: number): Promise<readonly Outcome[]>;
  /**
   * When nobody listened at the address for the last time (`performance.now()`); undefined when somebody always did.
   */
  readonly goneAtMs: number | undefined;
  close(): void;
}

/** A node that has said nothing for this long says nothing any more; its latency is at least that. */
const ANSWER_MS = 120_000;
/** Nodes close idle connections after some seconds; ours are closed before. */
const IDLE_MS = 4000;
/** A lane whose connection was lost waits so long before it tries again, so that a node that restarts isn't stormed. */
const RECONNECT_MS = 100;

/** A link that posts over so many connections at once, each opened when it is needed. */
export function openLink(url: URL, lanes: number, overSocket: boolean): PostLink {
  return overSocket ? new SocketLink(url) : new HttpLink(url, lanes);
}

/** Posts over HTTP, one at a time on each connection. */
export class HttpLink implements PostLink {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #request: typeof request;
  #goneAtMs: number | undefined;

  /** `localAddress` is that of this machine from which connections come; the system chooses one when it is left out. */
  constructor(url: URL, lanes: number, localAddress?: string) {
    const from = localAddress === undefined ? {} : { localAddress };
    const options = { keepAlive: true, maxSockets: lanes, maxFreeSockets: lanes, timeout: IDLE_MS, ...from };
    this.#url = url;
    this.#agent = url.protocol === 'https:' ? new TlsAgent(options) : new Agent(options);
    this.#request = url.protocol === 'https:' ? tlsRequest : request;
  }

  async post(body: Uint8Array, calls: number): Promise<readonly Outcome[]> {
    try {
      return readBatch(await this.exchange(body), calls);
    } catch (error) {
      return await failed(error, calls);
    }
  }

  get goneAtMs(): number | undefined {
    return this.#goneAtMs;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** The body of the answer. */
  async exchange(body: Uint8Array): Promise<Uint8Array> {
    try {
      return await this.#exchanged(body);
    } catch (error) {
      if (meansGone(error)) this.#goneAtMs = performance.now();
      throw error;
    }
  }

  #exchanged(body: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
      const sent = this.#request(this.#url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        void readBody(response).then(resolve, reject);
      });
      const timer = setTimeout(
        () => sent.destroy(new Refusal('timeout', `no answer within ${ANSWER_MS / 1000} s`)),
        ANSWER_MS,
      );
      sent.on('close', () => clearTimeout(timer));
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

async function readBody(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const parts: AsyncIterable<Uint8Array> = response;
  for await (const chunk of parts) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > LARGEST_ANSWER_BYTES)
      throw new Refusal('too_large', `an answer of more than ${LARGEST_ANSWER_BYTES} bytes`);
  }
  const { statusCode, headers } = response;
  if (statusCode !== 200 && headers['content-type'] !== 'application/json')
    throw new Refusal('http', `HTTP ${statusCode}`);
  return Buffer.concat(chunks);
}

/** Posts over WebSockets, one at a time on each. */
class SocketLink implements PostLink {
  readonly #url: URL;
  readonly #idle: WebSocket[] = [];
  readonly #open = new Set<WebSocket>();
  #goneAtMs: number | undefined;

  constructor(url: URL) {
    this.#url = new URL(url);
    this.#url.protocol = url.protocol.replace('http', 'ws');
  }

  async post(body: Uint8Array, calls: number): Promise<readonly Outcome[]> {
    try {
      const socket = this.#idle.pop() ?? (await this.#connect());
      const answer = await answerOver(socket, body);
      this.#idle.push(socket);
      return readBatch(answer, calls);
    } catch (error) {
      if (meansGone(error)) this.#goneAtMs = performance.now();
      return await failed(error, calls);
    }
  }

  get goneAtMs(): number | undefined {
    return this.#goneAtMs;
  }

  close(): void {
    for (const socket of this.#open) socket.terminate();
  }

  #connect(): Promise<WebSocket> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#url, {
        handshakeTimeout: ANSWER_MS,
        maxPayload: LARGEST_ANSWER_BYTES,
        perMessageDeflate: false,
      });
      this.#open.add(socket);
      socket.once('open', () => resolve(socket));
      socket.on('error', reject);
      socket.once('close', () => {
        this.#open.delete(socket);
        const place = this.#idle.indexOf(socket);
        if (place >= 0) this.#idle.splice(place, 1);
      });
    });
  }
}

function answerOver(socket: WebSocket, body: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.terminate(), ANSWER_MS);
    const end = (): void => {
      clearTimeout(timer);
      socket.off('message', receive);
      socket.off('close', lose);
    };
    const receive = (message: Buffer): void => (end(), resolve(message));
    const lose = (): void => (end(), reject(new Refusal('connection', 'the node closed the WebSocket')));
    socket.on('message', receive);
    socket.on('close', lose);
    // As text: a call in a binary frame is another thing.
    socket.send(body, { binary: false });
  });
}

/** A proxy's answer for a node that isn't there. */
const GONE_BEHIND_PROXY = /^(?:HTTP|Unexpected server response:) 50[234]$/;

/** True when nobody listens: the process has ended. A connection that is only lost may have other reasons. */
function meansGone(error: unknown): boolean {
  return error instanceof Error && (failureReason(error) === 'ECONNREFUSED' || GONE_BEHIND_PROXY.test(error.message));
}

async function failed(error: unknown, calls: number): Promise<readonly Outcome[]> {
  await sleep(RECONNECT_MS);
  const refusal = error instanceof Refusal ? error : new Refusal('connection', failureReason(error));
  return Array.from({ length: calls }, () => ({ refusal }));
}

/** The system's code of an error where it has one, else its words. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Refusal) return error.message;
  // An address with two families fails for each of them.
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = one instanceof Error && 'code' in one && typeof one.code === 'string' ? one.code : undefined;
  return code ?? error.message;
}
