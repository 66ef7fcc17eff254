import type { Clock } from '../base/clock.ts';
import type { Json } from '../codec/json.ts';
import { writeJson } from '../codec/json_writer.ts';
import { ConnectionClosed, LARGEST_ANSWER_BYTES, NodeSilent, NodeTimeout, readAnswer } from './answer.ts';
import type { ConnectionListener, NodeConnection } from './connection.ts';
import { wantedHead, type SeenHead } from './seen_head.ts';
import { openWebSocket, type OpenedSocket } from './web_socket.ts';

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
  #socket: Promise<OpenedSocket> | undefined;
  /** The same once it is open. */
  #open: OpenedSocket | undefined;
  #lastId = 0;
  #closed = false;
  #wasConnected = false;
  #listener: ConnectionListener | undefined;

  readonly #head: SeenHead | undefined;

  /** Calls ask for the head that was seen, where there is one to note it. */
  constructor(url: string, clock: Clock, head?: SeenHead) {
    this.#head = head;
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
  async #connected(deadlineMs: number): Promise<OpenedSocket> {
    for (;;) {
      // Whoever waits here for a node that is away would open what nobody closes, and the process would not end.
      if (this.#closed) throw new ConnectionClosed(this.#url);
      try {
        this.#socket ??= this.#connect();
        return await this.#socket;
      } catch (error) {
        this.#socket = undefined;
        if (!this.#wasConnected || this.#clock.nowMs() + RETRY_MS >= deadlineMs) throw error;
        await new Promise<void>((resolve) => void this.#clock.after(RETRY_MS, resolve));
      }
    }
  }

  async #connect(): Promise<OpenedSocket> {
    const failed = (why: string, cause?: unknown): NodeSilent =>
      new NodeSilent(`cannot reach the node at ${this.#url}: ${why}`, false, cause);
    const { promise, resolve, reject } = later<void>();
    const cancel = this.#clock.after(CONNECT_MS, () => reject(failed('it does not accept a WebSocket')));
    // Its events may come before it does, and before anybody waits for the promise.
    promise.catch(() => undefined);
    const here: { socket?: OpenedSocket } = {};
    const socket = await openWebSocket(this.#url, {
      opened: resolve,
      message: (text) => here.socket && this.#receive(here.socket, text),
      failed: (error) => reject(failed(reasonOf(error), error)),
      closed: () => {
        reject(failed('it closed the connection'));
        if (here.socket !== undefined) this.#forget(here.socket);
      },
    });
    here.socket = socket;
    try {
      await promise;
    } catch (error) {
      socket.drop();
      throw error;
    } finally {
      cancel();
    }
    this.#wasConnected = true;
    this.#open = socket;
    return socket;
  }

  /** The calls of a connection that has ended are lost, once. */
  #forget(socket: OpenedSocket): void {
    if (this.#open !== socket) return;
    this.#open = undefined;
    this.#socket = undefined;
    this.#lose(`the node at ${this.#url} closed the connection`);
    if (!this.#closed) this.#listener?.lost();
  }

  /** Gives a connection up, whatever the other side still says. */
  #abandon(socket: OpenedSocket): void {
    this.#forget(socket);
    socket.drop();
  }

  #ask(socket: OpenedSocket, method: string, params: Json, deadlineMs: number): Promise<Json> {
    const id = ++this.#lastId;
    return new Promise<Json>((resolve, reject) => {
      const leftMs = Math.max(0, deadlineMs - this.#clock.nowMs());
      const cancel = this.#clock.after(leftMs, () => {
        this.#waiting.delete(id);
        reject(new NodeTimeout(`no answer from the node at ${this.#url} to ${method}`));
        // Whatever delays this call delays the later ones too.
        this.#abandon(socket);
      });
      this.#waiting.set(id, {
        resolve: (result) => (cancel(), resolve(result)),
        reject: (error) => (cancel(), reject(error)),
      });
      socket.send(writeJson({ jsonrpc: '2.0', id, ...wantedHead(this.#head), method, params }));
    });
  }

  #receive(socket: OpenedSocket, text: string | Uint8Array): void {
    try {
      if (text.length > LARGEST_ANSWER_BYTES) return this.#abandon(socket);
      const { id, outcome, notice, head } = readAnswer(text);
      this.#head?.note(head);
      if (notice !== undefined) return this.#listener?.notice(notice[0] ?? null, notice[1] ?? null);
      const asked = typeof id === 'number' ? this.#waiting.get(id) : undefined;
      // A response to a call that no longer waits.
      if (asked === undefined || typeof id !== 'number') return;
      this.#waiting.delete(id);
      if ('refusal' in outcome) asked.reject(outcome.refusal);
      else asked.resolve(outcome.result);
    } catch {
      this.#abandon(socket);
    }
  }

  #lose(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new NodeSilent(reason, true));
    this.#waiting.clear();
  }
}

/** A promise that somebody else keeps. */
function later<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void; readonly reject: (error: Error) => void } {
  let outcome: { readonly resolve: (value: T) => void; readonly reject: (error: Error) => void } | undefined;
  const promise = new Promise<T>((resolve, reject) => (outcome = { resolve, reject }));
  return { promise, resolve: (value) => outcome?.resolve(value), reject: (error) => outcome?.reject(error) };
}

/** When several addresses have all refused, the error has no message of its own. */
function reasonOf(error: unknown): string {
  const all: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  const [first] = all;
  if (first instanceof Error) return first.message === '' ? first.name : first.message;
  return typeof first === 'string' && first !== '' ? first : 'the connection failed';
}
