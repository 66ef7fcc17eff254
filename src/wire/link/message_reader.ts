import { refusals } from '../../base/refusal.ts';
import type { ByteBudget } from './byte_budget.ts';
import { HEADER_BYTES, LEAST_CONTINUED_BYTES, MORE_FOLLOWS, MOST_PAYLOAD_BYTES } from './frame.ts';
import { BULK, findLane, lanes, type Lane } from '../lanes.ts';
import { laneLimit, type MessageForm } from '../message_kind.ts';

const refuse = refusals({
  frame_too_long: 'a frame of {bytes} bytes, at most {most} expected',
  unknown_lane: 'a frame on lane {lane}, which does not exist',
  wrong_lane: 'a {kind} on lane {lane}',
  frame_too_short: 'a frame of {bytes} bytes that is continued, at least {least} expected',
  mixed_messages: 'a frame of kind {kind} inside a message of kind {other}',
  message_too_long: 'a {kind} of more than {most} bytes',
});

/** Takes messages from a reader. */
export interface MessageTaker {
  /** Returns whether a message of the kind is wanted; of one that isn't nothing is kept. */
  isWanted(form: MessageForm, lane: Lane): boolean;
  /** A whole message; the bytes are the taker's. */
  take(form: MessageForm, bytes: Uint8Array): void;
  /** Called for each frame whose bytes have all come. */
  frame(lane: Lane, bytes: number): void;
  /** True if the next frame is to be read, too. */
  mayReadOn?(): boolean;
}

/** A message of which not all has come. */
interface Partial {
  readonly kind: number;
  /** Undefined when it is only skipped. */
  readonly form: MessageForm | undefined;
  readonly mostBytes: number;
  bytes: Uint8Array;
  length: number;
}

const NOTHING = new Uint8Array(0);
const LEAST_CAPACITY = 4096;
/** Nobody knows what is too long for an unknown kind; skipping costs nothing but the link's own buckets. */
const ANY_LENGTH = Number.MAX_SAFE_INTEGER;

/**
 * Makes messages of bytes. It trusts nothing: memory grows with what has come, never with what was announced, and
 * half-received messages of all peers come out of one budget. Throws a Refusal for bytes that are no frames.
 */
export class MessageReader {
  readonly #kinds: Readonly<Record<number, MessageForm>>;
  readonly #budget: ByteBudget;
  readonly #taker: MessageTaker;
  readonly #header = new Uint8Array(HEADER_BYTES);
  #headerLength = 0;
  readonly #partials = new Map<Lane, Partial>();
  /** The message of the frame that is being read, and what is missing of the frame. */
  #current: Partial | undefined;
  #lane: Lane = BULK;
  #isContinued = false;
  #frameBytes = 0;
  #missing = 0;
  #isClosed = false;

  constructor(kinds: Readonly<Record<number, MessageForm>>, budget: ByteBudget, taker: MessageTaker) {
    this.#kinds = kinds;
    this.#budget = budget;
    this.#taker = taker;
  }

  /**
   * Reads on, as long as the taker wants more; what is complete is taken before this returns how many of the bytes were
   * read.
   */
  push(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && !this.#isClosed && this.#taker.mayReadOn?.() !== false) {
      at = this.#current === undefined ? this.#readHeader(bytes, at) : this.#readPayload(this.#current, bytes, at);
    }
    return at;
  }

  /** Nothing more is read, and nothing is held any longer. */
  close(): void {
    this.#isClosed = true;
    for (const lane of lanes) this.#drop(this.#partials.get(lane));
    this.#partials.clear();
    this.#drop(this.#current);
    this.#current = undefined;
  }

  #readHeader(bytes: Uint8Array, start: number): number {
    const part = bytes.subarray(start, start + HEADER_BYTES - this.#headerLength);
    this.#header.set(part, this.#headerLength);
    this.#headerLength += part.length;
    if (this.#headerLength === HEADER_BYTES) this.#beginFrame();
    return start + part.length;
  }

  #beginFrame(): void {
    this.#headerLength = 0;
    const [, , , , kind = 0, flags = 0] = this.#header;
    this.#missing = new DataView(this.#header.buffer).getUint32(0, true);
    this.#frameBytes = this.#missing;
    this.#isContinued = (flags & MORE_FOLLOWS) !== 0;
    const number = flags & ~MORE_FOLLOWS;
    if (this.#missing > MOST_PAYLOAD_BYTES) refuse.frame_too_long({ bytes: this.#missing, most: MOST_PAYLOAD_BYTES });
    this.#lane = findLane(number) ?? refuse.unknown_lane({ lane: number });
    if (this.#isContinued && this.#missing < LEAST_CONTINUED_BYTES)
      refuse.frame_too_short({ bytes: this.#missing, least: LEAST_CONTINUED_BYTES });
    const message = this.#partials.get(this.#lane) ?? this.#beginMessage(kind);
    if (message.kind !== kind) refuse.mixed_messages({ kind, other: message.kind });
    // One that goes on will have a byte more at least.
    const least = message.length + this.#missing + (this.#isContinued ? 1 : 0);
    if (least > message.mostBytes)
      refuse.message_too_long({ kind: this.#kinds[kind]?.name ?? kind, most: message.mostBytes });
    this.#partials.delete(this.#lane);
    this.#current = message;
    if (this.#missing === 0) this.#endFrame(message, message.bytes.subarray(0, message.length));
  }

  #beginMessage(kind: number): Partial {
    const form = this.#kinds[kind];
    const skipped: Partial = { kind, form: undefined, mostBytes: ANY_LENGTH, bytes: NOTHING, length: 0 };
    if (form === undefined) return skipped;
    const mostBytes = laneLimit(form, this.#lane) ?? refuse.wrong_lane({ kind: form.name, lane: this.#lane });
    return { ...skipped, mostBytes, form: this.#taker.isWanted(form, this.#lane) ? form : undefined };
  }

  #readPayload(message: Partial, bytes: Uint8Array, start: number): number {
    const part = bytes.subarray(start, start + this.#missing);
    this.#missing -= part.length;
    // Most messages come in one piece.
    const isWhole = part.length === this.#frameBytes && !this.#isContinued && message.length === 0;
    const isKept = isWhole || this.#keep(message, part);
    const current = isKept ? message : { ...message, form: undefined, bytes: NOTHING };
    this.#current = current;
    if (this.#missing === 0) this.#endFrame(current, isWhole ? part : current.bytes.subarray(0, current.length));
    return start + part.length;
  }

  /** False when all peers together hold too much: what asked for the message will miss it. */
  #keep(message: Partial, part: Uint8Array): boolean {
    const length = message.length + part.length;
    if (message.form !== undefined && length > message.bytes.length && !this.#enlarge(message, length)) {
      this.#drop(message);
      message.length = length;
      return false;
    }
    if (message.form !== undefined) message.bytes.set(part, message.length);
    message.length = length;
    return true;
  }

  #enlarge(message: Partial, length: number): boolean {
    const capacity = Math.min(
      Math.max(length, message.bytes.length * 2, LEAST_CAPACITY),
      Math.max(length, message.mostBytes),
    );
    if (!this.#budget.take(capacity - message.bytes.length)) return false;
    const larger = new Uint8Array(capacity);
    larger.set(message.bytes.subarray(0, message.length));
    message.bytes = larger;
    return true;
  }

  #endFrame(message: Partial, whole: Uint8Array): void {
    const lane = this.#lane;
    this.#current = undefined;
    if (this.#isContinued) this.#partials.set(lane, message);
    else this.#budget.give(message.bytes.length);
    const form = this.#isContinued ? undefined : message.form;
    this.#taker.frame(lane, this.#frameBytes + HEADER_BYTES);
    // The frame may have been one too many.
    if (form !== undefined && !this.#isClosed) this.#taker.take(form, whole);
  }

  #drop(message: Partial | undefined): void {
    if (message === undefined) return;
    this.#budget.give(message.bytes.length);
    message.bytes = NOTHING;
  }
}
