import { encodeFrame, HEADER_BYTES, SENT_PAYLOAD_BYTES } from './frame.ts';
import { isPaced, lanes, type Lane } from '../lanes.ts';
import type { SendWindow } from './send_window.ts';

interface Waiting {
  readonly kind: number;
  readonly bytes: Uint8Array;
  /** The number of them that have gone. */
  at: number;
}

/** The memory of a message besides its bytes, so that a queue of small ones counts for what it is. */
const MESSAGE_BYTES = 128;
/** Each eighth frame is one of the lowest lane that waits, or it might wait for ever. */
const TURN_OF_LOWEST = 8;

/** Messages that wait to be sent, cut into frames. A lane goes before those with higher numbers. */
export class Outbox {
  readonly #queues: Readonly<Record<Lane, Waiting[]>> = { 0: [], 1: [], 2: [], 3: [] };
  readonly #window: SendWindow;
  #queuedBytes = 0;
  #frames = 0;

  constructor(window: SendWindow) {
    this.#window = window;
  }

  /** Bytes that wait, of all lanes. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Messages that wait, of all lanes. */
  get queuedMessages(): number {
    return lanes.reduce<number>((sum, lane) => sum + this.#queues[lane].length, 0);
  }

  /** Nobody may change the bytes any more. */
  put(kind: number, lane: Lane, bytes: Uint8Array): void {
    this.#queues[lane].push({ kind, bytes, at: 0 });
    this.#queuedBytes += bytes.length + MESSAGE_BYTES;
  }

  /** The next frame; undefined when nothing may go now. */
  next(): Uint8Array | undefined {
    const lane = this.#nextLane();
    if (lane === undefined) return undefined;
    const queue = this.#queues[lane];
    const message = queue[0];
    if (message === undefined) return undefined;
    const payload = message.bytes.subarray(message.at, message.at + SENT_PAYLOAD_BYTES);
    message.at += payload.length;
    this.#queuedBytes -= payload.length;
    const isContinued = message.at < message.bytes.length;
    if (!isContinued) {
      queue.shift();
      this.#queuedBytes -= MESSAGE_BYTES;
    }
    this.#frames++;
    if (isPaced(lane)) this.#window.sent(payload.length + HEADER_BYTES);
    return encodeFrame(message.kind, lane, payload, isContinued);
  }

  #nextLane(): Lane | undefined {
    const waiting = lanes.filter((lane) => this.#queues[lane].length > 0);
    const free = waiting.length > 0 && !this.#window.isOpen ? waiting.filter((lane) => !isPaced(lane)) : waiting;
    return this.#frames % TURN_OF_LOWEST === TURN_OF_LOWEST - 1 ? free.at(-1) : free[0];
  }
}
