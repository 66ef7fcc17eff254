import type { Clock } from '../base/clock.ts';
import type { Json } from '../codec/json.ts';
import { writeJson } from '../codec/json_writer.ts';
import { pause, unlessAborted, type CallSignal } from './abort.ts';
import {
  ConnectionClosed,
  LARGEST_ANSWER_BYTES,
  NodeNonsense,
  behindAttempt,
  NodeSilent,
  NodeTimeout,
  readAnswer,
  type NodeAnswer,
} from './answer.ts';
import { tooLarge } from './node_refusal.ts';
import { isRepeatable, MAY_BE_DONE } from './call_limits.ts';
import { member } from './chain_of_node.ts';
import type { CallTerms, ConnectionListener, NodeConnection } from './connection.ts';
import { wantedHead, type SeenHead } from './seen_head.ts';
import { byteTexts, fromByteTexts, UnreadableItem } from './unreadable.ts';
import { openWebSocket, type OpenedSocket } from './web_socket.ts';

/**
 * Between a call's attempts to reconnect: long enough to be of use when a node restarts, short enough for a waiting
 * user.
 */
const RETRY_MS = 500;
/** A reachable node accepts within a few round trips. */
const CONNECT_MS = 5000;

/** A message is too big by the protocol; some servers just end the connection. */
const TOO_BIG = 1009;
const ENDED = 1006;
const NO_UTF8 = 1007;
/** The default limit of nodes. */
const USUAL_LARGEST_BYTES = 1024 * 1024;

interface Waiting {
  /** The size of the request. */
  readonly bytes: number;
  resolve(result: Json): void;
  reject(error: Error): void;
}

/** A call stops waiting at its deadline, or when the caller aborts it. */
interface CallEnds {
  readonly deadlineMs: number;
  readonly signal: CallSignal | undefined;
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

  async call(method: string, params: Json, { timeoutMs, repeatable, signal }: CallTerms): Promise<Json> {
    signal?.throwIfAborted();
    const ends: CallEnds = { deadlineMs: this.#clock.elapsedMs() + timeoutMs, signal };
    const { deadlineMs } = ends;
    try {
      return await this.#ask(await this.#connected(ends), method, params, ends);
    } catch (error) {
      if (!repeatable || !(error instanceof NodeSilent) || this.#closed || this.#clock.elapsedMs() >= deadlineMs)
        throw error;
      return await this.#askAgain(method, params, ends, error.wasSent);
    }
  }

  async #askAgain(method: string, params: Json, ends: CallEnds, hasArrived: boolean): Promise<Json> {
    try {
      return await this.#ask(await this.#connected(ends), method, params, ends);
    } catch (error) {
      throw behindAttempt(error, hasArrived);
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
  async #connected({ deadlineMs, signal }: CallEnds): Promise<OpenedSocket> {
    for (;;) {
      // Whoever waits here for a node that is away would open what nobody closes, and the process would not end.
      if (this.#closed) throw new ConnectionClosed(this.#url);
      try {
        this.#socket ??= this.#connect();
        return await unlessAborted(this.#socket, signal);
      } catch (error) {
        // The others still wait for the same socket.
        signal?.throwIfAborted();
        this.#socket = undefined;
        if (!this.#wasConnected || this.#clock.elapsedMs() + RETRY_MS >= deadlineMs) throw error;
        await pause(this.#clock, RETRY_MS, signal);
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
      failed: (error) => reject(failed(failureReason(error), error)),
      closed: (code, said) => {
        const how = `closed the connection${reasonText(code, said)}`;
        reject(failed(`it ${how}`));
        if (here.socket !== undefined && this.#open === here.socket) this.#takeReason(code);
        if (here.socket !== undefined) this.#forget(here.socket, how);
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
  #forget(socket: OpenedSocket, how = 'closed the connection'): void {
    if (this.#open !== socket) return;
    this.#open = undefined;
    this.#socket = undefined;
    this.#lose(`the node at ${this.#url} ${how}`);
    if (!this.#closed) this.#listener?.lost();
  }

  /** Gives a connection up, whatever the other side still says. */
  #abandon(socket: OpenedSocket): void {
    this.#forget(socket);
    socket.drop();
  }

  async #ask(socket: OpenedSocket, method: string, params: Json, { deadlineMs, signal }: CallEnds): Promise<Json> {
    const id = ++this.#lastId;
    const answered = this.#answer(socket, id, method, params, deadlineMs);
    try {
      return await unlessAborted(answered, signal);
    } finally {
      this.#taken(id)?.reject(new NodeSilent('nobody waits for it any more', true));
    }
  }

  #answer(socket: OpenedSocket, id: number, method: string, params: Json, deadlineMs: number): Promise<Json> {
    return new Promise<Json>((resolve, reject) => {
      const leftMs = Math.max(0, deadlineMs - this.#clock.elapsedMs());
      const cancel = this.#clock.after(leftMs, () => {
        this.#waiting.delete(id);
        reject(
          new NodeTimeout(
            `no answer from the node at ${this.#url} to ${method}${isRepeatable(method) ? '' : MAY_BE_DONE}`,
          ),
        );
        // Whatever delays this call delays the later ones too.
        this.#abandon(socket);
      });
      const text = writeJson({ jsonrpc: '2.0', id, ...wantedHead(this.#head), method, params });
      this.#waiting.set(id, {
        bytes: text.length,
        resolve: (result) => (cancel(), resolve(result)),
        reject: (error) => (cancel(), reject(error)),
      });
      socket.send(text);
    });
  }

  #receive(socket: OpenedSocket, text: string | Uint8Array): void {
    let answer: NodeAnswer;
    try {
      if (text.length > LARGEST_ANSWER_BYTES)
        throw new NodeNonsense(`a message of the node has more than ${LARGEST_ANSWER_BYTES} bytes`);
      answer = readAnswer(text);
    } catch (error) {
      if (!(error instanceof NodeNonsense)) throw error;
      return this.#takeUnreadable(socket, text, error);
    }
    const { id, outcome, notice, head } = answer;
    this.#head?.note(head);
    if (notice !== undefined) return this.#listener?.notice(notice[0] ?? null, notice[1] ?? null);
    if (id === null && 'refusal' in outcome) return this.#takeUnnamed(socket, outcome.refusal);
    const asked = typeof id === 'number' ? this.#taken(id) : undefined;
    // A response to a call that no longer waits when undefined.
    if ('refusal' in outcome) asked?.reject(outcome.refusal);
    else asked?.resolve(outcome.result);
  }

  #taken(id: number): Waiting | undefined {
    const asked = this.#waiting.get(id);
    this.#waiting.delete(id);
    return asked;
  }

  /** An error for a request whose id the node could not read: of the only one, or of all. */
  #takeUnnamed(socket: OpenedSocket, refusal: Error): void {
    const [only, ...others] = this.#waiting.keys();
    if (only !== undefined && others.length === 0) return this.#taken(only)?.reject(refusal);
    this.#lose(`the node at ${this.#url} could not read one of several requests: ${refusal.message}`, refusal);
    this.#abandon(socket);
  }

  /** Passes unreadable text to its call or subscription, or ends the connection. */
  #takeUnreadable(socket: OpenedSocket, text: string | Uint8Array, error: NodeNonsense): void {
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    const read = bytes.length > LARGEST_ANSWER_BYTES ? undefined : byteTexts(bytes);
    const [id, params] = [member(read, 'id'), member(read, 'params')];
    const asked = typeof id === 'number' ? this.#taken(id) : undefined;
    if (asked !== undefined) return asked.reject(error);
    if (member(read, 'method') === 'notice' && Array.isArray(params) && Array.isArray(params[1]))
      return this.#takeReadable(params[0] ?? null, params[1]);
    this.#lose(error.message, error);
    this.#listener?.garbled(error);
    this.#abandon(socket);
  }

  /** The items of a notice, in order, without those that can't be read. */
  #takeReadable(returnId: Json, items: readonly Json[]): void {
    for (const item of items) {
      const { value, unreadable } = fromByteTexts(item);
      if (unreadable === undefined) this.#listener?.notice(returnId, [value]);
      else this.#listener?.unreadable(returnId, new UnreadableItem(value, unreadable));
    }
  }

  #takeReason(code: number): void {
    if (code === NO_UTF8)
      this.#listener?.garbled(new NodeNonsense(`a message of the node at ${this.#url} is no UTF-8`));
    else this.#refuseTooLarge(code);
  }

  /** The largest request is refused when that is why the node has ended the connection; the others are lost with it. */
  #refuseTooLarge(code: number): void {
    const [largest] = [...this.#waiting].toSorted(([, one], [, other]) => other.bytes - one.bytes);
    if (largest === undefined) return;
    const [id, { bytes }] = largest;
    const isWhy = code === TOO_BIG || (code === ENDED && bytes > USUAL_LARGEST_BYTES);
    if (isWhy) this.#taken(id)?.reject(tooLarge(this.#url, bytes, ''));
  }

  #lose(reason: string, cause?: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(new NodeSilent(reason, true, cause));
    this.#waiting.clear();
  }
}

/** A promise that somebody else keeps. */
function later<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
} {
  let outcome: { readonly resolve: (value: T) => void; readonly reject: (error: Error) => void } | undefined;
  const promise = new Promise<T>((resolve, reject) => (outcome = { resolve, reject }));
  return { promise, resolve: (value) => outcome?.resolve(value), reject: (error) => outcome?.reject(error) };
}

/** Codes of an end without a reason: as it should be, with none, or lost. */
const PLAIN_ENDS = new Set([1000, 1005, 1006]);

/** Returns the reason that the other side gave for closing the connection. */
function reasonText(code: number, said: string): string {
  const words = [...(PLAIN_ENDS.has(code) ? [] : [`code ${code}`]), ...(said === '' ? [] : [said])];
  return words.length === 0 ? '' : ` (${words.join(': ')})`;
}

/** When several addresses have all refused, the error has no message of its own. */
function failureReason(error: unknown): string {
  const all: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  const [first] = all;
  if (first instanceof Error) return first.message === '' ? first.name : first.message;
  return typeof first === 'string' && first !== '' ? first : 'the connection failed';
}
