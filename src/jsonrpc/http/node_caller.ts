import type { WebSocket } from 'ws';
import type { Subscriber } from '../limits/subscriber.ts';
import { closeCodes } from './close_codes.ts';
import type { UnsentBytes } from './unsent_bytes.ts';

/** The limit and the count of bytes that one connection holds for its reader. */
interface Unsent {
  readonly address: string;
  readonly most: number;
  readonly held: UnsentBytes;
}

/** The peer of a WebSocket of ws, as a subscriber. */
export class NodeCaller implements Subscriber {
  readonly address: string;
  readonly #socket: WebSocket;
  readonly #unsent: Unsent;
  /** As counted among the unsent bytes of its address. */
  #counted = 0;

  constructor(socket: WebSocket, unsent: Unsent) {
    this.#socket = socket;
    this.#unsent = unsent;
    this.address = unsent.address;
    socket.once('close', () => unsent.held.change(unsent.address, this.#counted, 0));
  }

  isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  push(text: string | Uint8Array): boolean {
    if (!this.isOpen()) return false;
    if (this.#socket.bufferedAmount + text.length <= this.#unsent.most) {
      this.#socket.send(text, { binary: false }, () => this.#count());
      if (this.#socket.bufferedAmount === this.#counted || this.#count()) return true;
    }
    this.#socket.close(closeCodes.tryLater, 'too far behind');
    return false;
  }

  /** Counts what waits in memory for the reader; false when that is too much. */
  #count(): boolean {
    // The end of the connection has given everything back.
    if (!this.isOpen()) return false;
    const { bufferedAmount } = this.#socket;
    if (!this.#unsent.held.change(this.#unsent.address, this.#counted, bufferedAmount)) return false;
    this.#counted = bufferedAmount;
    return true;
  }

  unsentBytes(): number {
    return this.#socket.bufferedAmount;
  }

  drop(reason: string): void {
    this.#socket.close(closeCodes.tryLater, reason);
  }

  onClose(run: () => void): void {
    this.#socket.once('close', run);
  }
}
