import type { RequestSource } from '../limits/request_source.ts';
import type { Subscriber } from '../limits/subscriber.ts';
import { closeCodes } from './close_codes.ts';
import { Drain } from './drain.ts';
import { type HttpServerOptions, goodbyeMs } from './http_server.ts';
import { newSenderId } from './sender_ids.ts';
import { SocketFaults } from './socket_faults.ts';
import type { UnsentBytes } from './unsent_bytes.ts';
import type { WebSocket } from './uws.ts';

/** The data attached to a WebSocket. */
interface Caller extends Subscriber, RequestSource {
  readonly closed: (() => void)[];
  open: boolean;
  waiting: number;
  /** As counted among the unsent bytes of its address. */
  unsent: number;
}

/** The client of a WebSocket, as its first request has told. */
export interface Upgrade {
  readonly address: string;
  readonly isLocal: boolean;
}

/** `send` returns these for a message that is on its way, and for one that waits in memory. Others are dropped. */
const sent = 1;
const queued = 0;

/** The open WebSockets of a server: answers their calls, and disconnects those that read too slowly. */
export class UwsSockets {
  readonly #options: HttpServerOptions;
  readonly #unsent: UnsentBytes;
  /** The calls under way, those of HTTP bodies among them. */
  readonly #calls: Drain;
  readonly #left: (address: string) => void;
  readonly #conversations = new Drain();
  readonly #faults = new SocketFaults();
  readonly #sockets = new Map<WebSocket<Upgrade>, Caller>();

  /** `left` is called with the address of each WebSocket that has ended. */
  constructor(options: HttpServerOptions, unsent: UnsentBytes, calls: Drain, left: (address: string) => void) {
    this.#options = options;
    this.#unsent = unsent;
    this.#calls = calls;
    this.#left = left;
  }

  get count(): number {
    return this.#sockets.size;
  }

  get faults(): SocketFaults['counts'] {
    return this.#faults.counts;
  }

  /** Says goodbye to all, and returns when they have left or their time is over. */
  async endAll(): Promise<void> {
    for (const socket of [...this.#sockets.keys()]) socket.end(closeCodes.goingAway);
    await this.#conversations.idle(goodbyeMs, this.#options.clock);
  }

  /** The reader of a WebSocket has taken some of what waits for it. */
  noteDrained(socket: WebSocket<Upgrade>): void {
    this.#noteUnsent(socket, this.#sockets.get(socket));
  }

  /** A client has opened a WebSocket. */
  add(socket: WebSocket<Upgrade>): void {
    const senderId = newSenderId();
    const { address, isLocal } = socket.getUserData();
    const caller: Caller = {
      address,
      isLocal,
      minHead: '',
      senderIdOf: () => senderId,
      get subscriber() {
        return caller;
      },
      closed: [],
      open: true,
      waiting: 0,
      unsent: 0,
      push: (text) => this.#push(socket, caller, text),
      isOpen: () => caller.open,
      unsentBytes: () => (caller.open ? socket.getBufferedAmount() : 0),
      drop: (reason) => void (caller.open && socket.end(closeCodes.tryLater, reason)),
      onClose: (run) => void caller.closed.push(run),
    };
    this.#sockets.set(socket, caller);
    this.#conversations.enter();
  }

  /** Answers the calls of a message, which is valid until this returns. */
  receive(socket: WebSocket<Upgrade>, message: ArrayBuffer, isBinary: boolean): void {
    const caller = this.#sockets.get(socket);
    if (caller === undefined) return;
    const { bodyBytes } = this.#options.limits;
    if (message.byteLength > bodyBytes) {
      this.#faults.count('too_long');
      return socket.end(closeCodes.tooBig, `a message has at most ${bodyBytes} bytes`);
    }
    // The lineage's text; it takes calls as text only.
    if (isBinary) return void caller.push('error: string payload expected');
    const known = this.#options.fromCache?.(new Uint8Array(message), caller);
    if (known !== undefined) return void this.#push(socket, caller, known);
    const answer = this.#options.answer(Buffer.from(message), caller);
    if (!(answer instanceof Promise)) return void (answer !== undefined && caller.push(answer));
    if (++caller.waiting > this.#options.limits.callsPerSocket)
      return socket.end(closeCodes.tryLater, 'too many calls at once');
    this.#calls.enter();
    void answer.then((text) => {
      caller.waiting--;
      if (text !== undefined) caller.push(text);
      this.#calls.leave();
    });
  }

  /** A WebSocket has ended; `reason` is that of the binding, where it has closed. */
  remove(socket: WebSocket<Upgrade>, reason: string): void {
    const caller = this.#sockets.get(socket);
    if (caller === undefined) return;
    this.#faults.countReason(reason);
    caller.open = false;
    this.#sockets.delete(socket);
    this.#conversations.leave();
    this.#left(caller.address);
    this.#unsent.change(caller.address, caller.unsent, 0);
    for (const run of caller.closed) run();
  }

  /** A reader that does not keep up is disconnected rather than buffered for. */
  #push(socket: WebSocket<Upgrade>, caller: Caller, text: string | Uint8Array): boolean {
    if (!caller.open) return false;
    if (socket.getBufferedAmount() + text.length <= this.#options.limits.unsentBytes) {
      const outcome = socket.send(text);
      if (outcome === sent || (outcome === queued && this.#noteUnsent(socket, caller))) return true;
    }
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- a send that finds the connection broken closes it
    if (caller.open) socket.end(closeCodes.tryLater, 'too far behind');
    return false;
  }

  /** Counts what waits in memory for the reader of a WebSocket; false when that is too much. */
  #noteUnsent(socket: WebSocket<Upgrade>, caller: Caller | undefined): boolean {
    if (caller?.open !== true) return false;
    const unsent = socket.getBufferedAmount();
    if (!this.#unsent.change(caller.address, caller.unsent, unsent)) return false;
    caller.unsent = unsent;
    return true;
  }
}
