import { Agent, request } from 'node:https';
import { WebSocket } from 'ws';
import type { Json } from '../outside/json.ts';
import { within } from '../outside/wait_until.ts';

/** An answer by HTTP. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Sending {
  /** A GET when left out. */
  readonly body?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of a proxy on this machine, with an address of its own (127.0.…), which its connections come from. */
export class ProxiedClient {
  readonly #port: number;
  readonly #address: string;
  readonly #agent: Agent;

  /**
   * With `keepAlive` it has one connection, which it keeps as long as the other side lets it; else one for each call.
   */
  constructor(port: number, address: string, keepAlive = true) {
    this.#port = port;
    this.#address = address;
    this.#agent = new Agent({
      keepAlive,
      maxSockets: keepAlive ? 1 : Infinity,
      rejectUnauthorized: false,
      localAddress: address,
    });
  }

  send({ body, path = '/', headers = {} }: Sending): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const options = {
        host: 'localhost',
        port: this.#port,
        method: body === undefined ? 'GET' : 'POST',
        path,
        agent: this.#agent,
      };
      const sent = request({ ...options, headers: { ...headers, ...length } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** The envelope that a call is answered with. */
  async call(method: string, params: Json = {}, headers: Readonly<Record<string, string>> = {}): Promise<Json> {
    const { text } = await this.send({ body: makeCall(method, params), headers });
    const envelope: Json = JSON.parse(text);
    return envelope;
  }

  async socket(): Promise<ProxiedSocket> {
    const options = { rejectUnauthorized: false, localAddress: this.#address };
    const socket = new WebSocket(`wss://localhost:${this.#port}`, options);
    const opened = new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const wrapped = new ProxiedSocket(socket);
    await within('a WebSocket through a proxy', opened);
    return wrapped;
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function makeCall(method: string, params: Json = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

/** A WebSocket that keeps what it hears: answers and notices come as they come. */
export class ProxiedSocket {
  readonly #socket: WebSocket;
  readonly #heard: Json[] = [];
  #onHeard = (): void => {};

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('error', () => {}); // the close that follows says everything
    socket.on('close', () => this.#onHeard());
    socket.on('message', (data) => {
      const heard: Json = JSON.parse(Buffer.isBuffer(data) ? data.toString('utf8') : '');
      this.#heard.push(heard);
      this.#onHeard();
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  /** The first frame that is this one, when it comes; it is not heard again. */
  async next(what: string, isWanted: (frame: Json) => boolean): Promise<Json> {
    return await within(
      what,
      new Promise<Json>((resolve, reject) => {
        this.#onHeard = () => {
          const at = this.#heard.findIndex(isWanted);
          const [found] = at < 0 ? [] : this.#heard.splice(at, 1);
          if (found !== undefined) resolve(found);
          else if (!this.isOpen) reject(new Error(`the WebSocket closed before ${what}`));
        };
        this.#onHeard();
      }),
    );
  }

  close(): void {
    this.#socket.close();
  }
}
