import type { Clock } from '../base/clock.ts';
import { Refusal, refusalBy, refusals } from '../base/refusal.ts';
import { Bucket } from './bucket.ts';
import type { ByteBudget } from './byte_budget.ts';
import { encodeFrame } from './frame.ts';
import { isPaced, type Lane } from './lanes.ts';
import { laneFor, type MessageForm, type MessageKind } from './message_kind.ts';
import { MessageReader } from './message_reader.ts';
import { consumed } from './messages/consumed.ts';
import { messageKinds, messageNumber } from './messages/index.ts';
import { Outbox } from './outbox.ts';
import type { Pipe, PipeListener } from './pipe.ts';
import { SendWindow } from './send_window.ts';

const refuse = refusals({
  too_many_small_pieces: 'more small frames and pieces than {perSecond} a second for a minute',
  too_slow: '{bytes} bytes wait for a peer that does not take them',
});

/** What hears of a channel. */
export interface ChannelListener {
  /** Whether a message of the kind is wanted now; one that isn't is skipped as it comes. */
  isWanted(form: MessageForm, lane: Lane): boolean;
  /** A message. A Refusal that is thrown says that it was malformed. */
  take(form: MessageForm, bytes: Uint8Array): void;
  /** What came is out of form: the peer's fault. */
  malformed(refusal: Refusal): void;
  /** The peer sends more than a link is for, or doesn't take what it is sent. */
  overLimit(refusal: Refusal): void;
  closed(): void;
}

/** What is handed to the pipe ahead: the next message of a lower number waits behind no more than that. */
const WRITTEN_AHEAD_BYTES = 64 * 1024;
/** Each that much consumed is said; half of the smallest window. */
const CONSUMED_STEP_BYTES = 64 * 1024;
/** A link whose peer takes nothing costs this much at most. */
const MOST_QUEUED_BYTES = 64 * 1024 * 1024;
/** Frames and pieces below this size are counted: each costs some microseconds, whatever it holds. */
const SMALL_BYTES = 1024;
const SMALL_PER_SECOND = 1000; // a hundred times what an honest peer sends; 1 % of a core
const SMALL_DEEP_SECONDS = 60;

/** A pipe that carries messages: frames, lanes, the window, and what a peer may cost. */
export class Channel implements PipeListener {
  readonly pipe: Pipe;
  readonly #clock: Clock;
  readonly #listener: ChannelListener;
  readonly #reader: MessageReader;
  readonly #window = new SendWindow();
  readonly #outbox = new Outbox(this.#window);
  readonly #small: Bucket;
  readonly #received: Record<Lane, number> = { 0: 0, 1: 0, 2: 0, 3: 0 };
  readonly #sent: Record<Lane, number> = { 0: 0, 1: 0, 2: 0, 3: 0 };
  #saidConsumed = 0;
  #isClosed = false;

  constructor(pipe: Pipe, clock: Clock, budget: ByteBudget, listener: ChannelListener) {
    this.pipe = pipe;
    this.#clock = clock;
    this.#listener = listener;
    this.#small = new Bucket(SMALL_PER_SECOND, SMALL_DEEP_SECONDS, clock.elapsedMs());
    this.#reader = new MessageReader(messageKinds, budget, {
      isWanted: (form, lane) => form === consumed || listener.isWanted(form, lane),
      take: (form, bytes) => this.#take(form, bytes),
      frame: (lane, bytes) => this.#noteFrame(lane, bytes),
    });
  }

  /** What the peer took when there was more to send, as far as is known. */
  get bytesPerMs(): number | undefined {
    return this.#window.bytesPerMs;
  }

  /** Bytes that wait to be sent. */
  get queuedBytes(): number {
    return this.#outbox.queuedBytes;
  }

  /** Bytes of messages that were queued, by lane. */
  get sentBytes(): Readonly<Record<Lane, number>> {
    return this.#sent;
  }

  /** Bytes of whole frames that came, by lane. */
  get receivedBytes(): Readonly<Record<Lane, number>> {
    return this.#received;
  }

  send<T>(kind: MessageKind<T>, value: T): void {
    this.sendEncoded(kind, kind.encode(value));
  }

  /** The same for who sends one message to many. */
  sendEncoded(form: MessageForm, bytes: Uint8Array): void {
    if (this.#isClosed) return;
    const lane = laneFor(form, bytes.length);
    this.#sent[lane] += bytes.length;
    this.#outbox.put(messageNumber(form), lane, bytes);
    if (this.#outbox.queuedBytes > MOST_QUEUED_BYTES) return this.#listener.overLimit(tooSlow(this.#outbox.queuedBytes));
    this.#pump();
  }

  /** How long a ping took. */
  notePing(ms: number): void {
    this.#window.ping(ms);
  }

  received(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    if (bytes.length < SMALL_BYTES && !this.#takeSmall()) return;
    try {
      this.#reader.push(bytes);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#listener.malformed(error);
    }
  }

  drained(): void {
    this.#pump();
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#end();
    this.#listener.closed();
  }

  /** Says a last word, before all that waits, and closes. */
  close<T>(kind: MessageKind<T>, value: T): void {
    if (this.#isClosed) return;
    this.pipe.write(encodeFrame(messageNumber(kind), kind.lane, kind.encode(value), false));
    this.drop();
  }

  /** Closes without a word. */
  drop(): void {
    if (this.#isClosed) return;
    this.#end();
    this.pipe.close();
  }

  #end(): void {
    this.#isClosed = true;
    this.#reader.close();
  }

  #take(form: MessageForm, bytes: Uint8Array): void {
    if (form !== consumed) return this.#listener.take(form, bytes);
    this.#window.taken(Number(consumed.decode(bytes).bytes), this.#clock.elapsedMs());
    this.#pump();
  }

  #noteFrame(lane: Lane, bytes: number): void {
    this.#received[lane] += bytes;
    if (bytes < SMALL_BYTES && !this.#takeSmall()) return;
    const total = this.#received[2] + this.#received[3];
    if (!isPaced(lane) || total - this.#saidConsumed < CONSUMED_STEP_BYTES) return;
    this.#saidConsumed = total;
    this.send(consumed, { bytes: BigInt(total) });
  }

  #takeSmall(): boolean {
    if (this.#small.take(1, this.#clock.elapsedMs())) return true;
    this.#listener.overLimit(tooManySmall());
    return false;
  }

  #pump(): void {
    while (!this.#isClosed && this.pipe.waitingBytes < WRITTEN_AHEAD_BYTES) {
      const frame = this.#outbox.next();
      if (frame === undefined) return;
      this.pipe.write(frame);
    }
  }
}

function tooManySmall(): Refusal {
  return refusalBy(() => refuse.too_many_small_pieces({ perSecond: SMALL_PER_SECOND }));
}

function tooSlow(bytes: number): Refusal {
  return refusalBy(() => refuse.too_slow({ bytes }));
}
