import { WebSocket } from 'ws';
import type { Clock } from '../base/clock.ts';
import type { Json } from '../codec/json.ts';
import { writeJson } from '../codec/json_writer.ts';
import { LARGEST_ANSWER_BYTES, NodeSilent, readAnswer } from './answer.ts';
import type { ConnectionListener, NodeConnection } from './connection.ts';

/** Between a call's attempts to reconnect: long enough to be of use when a node restarts, short enough for a waiting user. */
const RETRY_MS = 500;
/** A reachable node accepts within a few round trips. */
const CONNECT_MS = 5000;

interface Waiting {
  resolve(result: Json): void;
  reject(error: Error): void;
}

/** Calls over one WebSocket, which is opened at the first call and reopened after a lost connection. */
export class SocketConnection implements NodeConnection {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, Waiting>();
  #socket: Promise<WebSocket> | undefined;
  #lastId = 0;
  #closed = false;
  #wasConnected = false;
  #listener: ConnectionListener | undefined;

  constructor(url: string, clock: Clock) {
    this.#url = url;
    this.#clock = clock;
  }

  async call(method: string, params: Json, timeoutMs: number, repeatable: boolean): Promise<Json> {
    const deadlineMs = this.#clock.nowMs() + timeoutMs;
    try {
      return await this.#ask(await this.#connected(deadlineMs), method, params, deadlineMs);
    } catch (error) {
      if (!repeatable || !(error instanceof NodeSilent) || this.#closed || this.#clock.nowMs() >= deadlineMs) throw error;
      return await this.#ask(await this.#connected(deadlineMs), method, params, deadlineMs);
    }
  }

  listen(listener: ConnectionListener): void {
    this.#listener = listener;
  }

  close(): void {
    this.#closed = true;
    void this.#socket?.then((socket) => socket.close()).catch(() => undefined);
    this.#lose('this side has closed the connection');
  }

  /** The open socket; waits until the deadline for a node that was connected before, but not for one that never was. */
  async #connected(deadlineMs: number): Promise<WebSocket> {
    for (;;) {
      try {
        this.#socket ??= this.#connect();
        return await this.#socket;
      } catch (error) {
        this.#socket = undefined;
        if (this.#closed || !this.#wasConnected || this.#clock.nowMs() + RETRY_MS >= deadlineMs) throw error;
        await new Promise<void>((resolve) => void this.#clock.after(RETRY_MS, resolve));
      }
    }
  }

  #connect(): Promise<WebSocket> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#url, { handshakeTimeout: CONNECT_MS, maxPayload: LARGEST_ANSWER_BYTES, perMessageDeflate: false });
      socket.once('open', () => {
        this.#wasConnected = true;
        resolve(socket);
      });
      socket.on('message', (message: Buffer) => this.#receive(socket, message));
      socket.on('error', (cause) => reject(new NodeSilent(`cannot reach the node at ${this.#url}: ${reasonOf(cause)}`, false, cause)));
      socket.once('close', () => {
        this.#socket = undefined;
        this.#lose(`the node at ${this.#url} closed the connection`);
        if (!this.#closed) this.#listener?.lost();
      });
    });
  }

  #ask(socket: WebSocket, method: string, params: Json, deadlineMs: number): Promise<Json> {
    const id = ++this.#lastId;
    return new Promise<Json>((resolve, reject) => {
      const leftMs = Math.max(0, deadlineMs - this.#clock.nowMs());
      const cancel = this.#clock.after(leftMs, () => {
        this.#waiting.delete(id);
        reject(new NodeSilent(`no answer from the node at ${this.#url} to ${method}`, true));
        // Whatever delays this call delays the later ones too.
        socket.terminate();
      });
      this.#waiting.set(id, {
        resolve: (result) => (cancel(), resolve(result)),
        reject: (error) => (cancel(), reject(error)),
      });
      socket.send(writeJson({ jsonrpc: '2.0', id, method, params }));
    });
  }

  #receive(socket: WebSocket, message: Buffer): void {
    try {
      const { id, outcome, notice } = readAnswer(message);
      if (notice !== undefined) return this.#listener?.notice(notice[0] ?? null, notice[1] ?? null);
      const asked = typeof id === 'number' ? this.#waiting.get(id) : undefined;
      // A response to a call that no longer waits.
      if (asked === undefined || typeof id !== 'number') return;
      this.#waiting.delete(id);
      if ('refusal' in outcome) asked.reject(outcome.refusal);
      else asked.resolve(outcome.result);
    } catch {
      socket.terminate();
    }
  }

  #lose(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new NodeSilent(reason, true));
    this.#waiting.clear();
  }
}

/** When several addresses have all refused, the error has no message of its own. */
function reasonOf(error: Error): string {
  const all: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  const [first] = all;
  return first instanceof Error && first.message !== '' ? first.message : error.name;
}
