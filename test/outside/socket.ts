import assert from 'node:assert/strict';
import { WebSocket } from 'ws';
import { optionalMember, type Json } from './json.ts';
import { within } from './wait_until.ts';

/** Looks at a call of a method and at its answer. */
type Check = (method: string, params: Json, envelope: Json) => Promise<void>;

/** A WebSocket to the program. Answers come in the order of their calls' ends, so they are found by id. */
export class Socket {
  readonly #socket: WebSocket;
  readonly #frames: string[] = [];
  readonly #readers: ((frame: string) => void)[] = [];
  /** The code with which the other side, or the network, has closed it. */
  readonly closed: Promise<number>;

  readonly #check: Check;

  private constructor(socket: WebSocket, check: Check) {
    this.#socket = socket;
    this.#check = check;
    socket.on('message', (data) =>
      this.#take(Buffer.isBuffer(data) ? data.toString('utf8') : assert.fail('a frame is one buffer')),
    );
    socket.on('error', () => {}); // the close that follows says everything
    this.closed = new Promise((resolve) => {
      socket.once('close', resolve);
    });
  }

  static async open(url: string, check: Check): Promise<Socket> {
    const socket = new WebSocket(url);
    const opened = new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const wrapped = new Socket(socket, check);
    await within('a WebSocket to open', opened);
    return wrapped;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Sends a frame: text from a string, binary from bytes. */
  send(frame: string | Uint8Array): void {
    this.#socket.send(frame);
  }

  /** The next frame that comes. */
  async next(): Promise<string> {
    const frame = this.#frames.shift();
    if (frame !== undefined) return frame;
    return await within('a frame', new Promise<string>((resolve) => this.#readers.push(resolve)));
  }

  /** One call; its envelope. Calls of one socket are to be made one after the other. */
  async call(method: string, params: Json = {}, id: number | string = 1): Promise<Json> {
    this.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    for (;;) {
      const envelope: Json = JSON.parse(await this.next());
      if (optionalMember(envelope, 'id') !== id) continue;
      await this.#check(method, params, envelope);
      return envelope;
    }
  }

  close(): void {
    this.#socket.close();
  }

  /** Breaks the connection without a word. */
  drop(): void {
    this.#socket.terminate();
  }

  #take(frame: string): void {
    const reader = this.#readers.shift();
    if (reader === undefined) this.#frames.push(frame);
    else reader(frame);
  }
}
