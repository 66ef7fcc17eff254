import type { Clock } from '../../base/clock.ts';
import { Refusal, expectRefusal, refusals } from '../../base/refusal.ts';
import type { ByteBudget } from './byte_budget.ts';
import { encodeFrame } from './frame.ts';
import { isPaced, type Lane } from '../lanes.ts';
import { chooseLane, type MessageForm, type MessageKind } from '../message_kind.ts';
import { MessageReader } from './message_reader.ts';
import { consumed } from '../messages/consumed.ts';
import { messageKinds, messageNumber } from '../messages/index.ts';
import { Outbox } from './outbox.ts';
import type { Pipe, PipeListener } from './pipe.ts';
import { SendWindow } from './send_window.ts';

const refuse = refusals({
  too_slow: '{bytes} bytes wait for a peer that does not take them',
});

/** Meters the reading of a channel, and says how long it has to wait. */
export interface ReadMeter {
  /** Bytes have come in one piece. */
  piece(bytes: number): void;
  /** Bytes have come that carry nothing. */
  empty(bytes: number): void;
  /** A frame was read in so many milliseconds. */
  frame(ms: number): void;
  /** The message of so many bytes that it ended was taken in so many milliseconds. */
  message(form: MessageForm, ms: number, bytes: number): void;
  /** Returns the milliseconds without reading; 0 when there is credit. */
  waitMs(): number;
  /** Reading stops now, and goes on later. */
  stops(): void;
}

/** Listens to a channel. */
export interface ChannelListener {
  /** Returns whether a message of the kind is wanted now; one that isn't is skipped as it comes. */
  isWanted(form: MessageForm, lane: Lane): boolean;
  /** A message. A Refusal that is thrown says that it was malformed. */
  take(form: MessageForm, bytes: Uint8Array): void;

  /** The bytes are malformed: the peer's fault. */
  malformed(refusal: Refusal): void;
  /** The peer sends more than a link is for, or doesn't take what it is sent. */
  overLimit(refusal: Refusal): void;
  closed(): void;
}

/** The bytes that are handed to the pipe ahead: the next message of a lower number waits behind no more than that. */
const WRITTEN_AHEAD_BYTES = 64 * 1024;
/**
 * Waiting costs a little itself: so whoever waits has credit for some messages when it goes on. Whoever has to stop
 * again at once waits twice as long each time, up to the most; its credit grows meanwhile.
 */
const LEAST_WAIT_MS = 50;
const MOST_LEAST_WAIT_MS = 400;
/** A record of TLS without its content. */
const RECORD_HEAD_BYTES = 22;
/** One read of a socket may take this many bytes, whose pieces are still to come. */
const READ_AHEAD_BYTES = 128 * 1024;
/** Each that much consumed is said; half of the smallest window. */
const CONSUMED_STEP_BYTES = 64 * 1024;
/** No peer that reads its answers has this many messages waiting. */
const MOST_WAITING_ANSWERS = 256;
/** A link whose peer takes nothing costs this much at most. */
const MOST_QUEUED_BYTES = 64 * 1024 * 1024;

/** A pipe that carries messages: frames, lanes, the window, and what a peer may cost. */
export class Channel implements PipeListener {
  readonly pipe: Pipe;
  readonly #clock: Clock;
  readonly #listener: ChannelListener;
  readonly #meter: ReadMeter | undefined;
  readonly #reader: MessageReader;
  readonly #window = new SendWindow();
  readonly #outbox = new Outbox(this.#window);
  readonly #received: Record<Lane, number> = { 0: 0, 1: 0, 2: 0, 3: 0 };
  readonly #sent: Record<Lane, number> = { 0: 0, 1: 0, 2: 0, 3: 0 };
  #saidConsumed = 0;
  #isClosed = false;
  /** Bytes that wait for credit. */
  #unread: Uint8Array[] = [];
  #isReading = false;
  /** While nothing is read. */
  #cancelWait: (() => void) | undefined;
  /** The read bytes that pieces explain, and those that were charged as empty. */
  #explainedBytes = 0;
  #emptyBytes = 0;
  /** When reading went on last, and how long it stops at least. */
  #resumedMs = -Infinity;
  #leastWaitMs = LEAST_WAIT_MS;
  /** Since when what is read now is read. */
  #readSinceMs = 0;

  constructor(pipe: Pipe, clock: Clock, budget: ByteBudget, listener: ChannelListener, meter?: ReadMeter) {
    this.pipe = pipe;
    this.#clock = clock;
    this.#listener = listener;
    this.#meter = meter;
    this.#reader = new MessageReader(messageKinds, budget, {
      isWanted: (form, lane) => form === consumed || listener.isWanted(form, lane),
      take: (form, bytes) => this.#take(form, bytes),
      frame: (lane, bytes) => this.#noteFrame(lane, bytes),
      mayReadOn: () => this.#mayReadOn(),
    });
  }

  /** The rate at which the peer reads while there is more to send, as far as is known. */
  get bytesPerMs(): number | undefined {
    return this.#window.bytesPerMs;
  }

  /** Bytes that wait to be sent. */
  get queuedBytes(): number {
    return this.#outbox.queuedBytes;
  }

  /** The peer asks and does not take what it gets: nothing more is answered until it does. */
  get leavesAnswers(): boolean {
    return this.#outbox.queuedMessages >= MOST_WAITING_ANSWERS;
  }

  /** Bytes of messages that were queued since the link began. */
  get queuedInAll(): number {
    return this.#sent[0] + this.#sent[1] + this.#sent[2] + this.#sent[3];
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
    const lane = chooseLane(form, bytes.length);
    this.#sent[lane] += bytes.length;
    this.#outbox.put(messageNumber(form), lane, bytes);
    if (this.#outbox.queuedBytes > MOST_QUEUED_BYTES)
      return this.#listener.overLimit(tooSlow(this.#outbox.queuedBytes));
    this.#pump();
  }

  /** A ping took this time. */
  notePing(ms: number): void {
    this.#window.ping(ms);
  }

  /** True if nothing is read of the peer now, so that its silence is ours. */
  get isWaiting(): boolean {
    return this.#cancelWait !== undefined;
  }

  received(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#meter?.piece(bytes.length);
    this.#explainedBytes += bytes.length + RECORD_HEAD_BYTES;
    this.#unread.push(bytes);
    if (!this.isWaiting && !this.#isReading) this.#resumeReading();
  }

  /** Looks for bytes that no piece explains, such as new keys of TLS without end: they cost their sender, too. */
  lookAtEmptyBytes(): void {
    const { carriedBytes } = this.pipe;
    if (this.#isClosed || carriedBytes === undefined) return;
    const bytes = carriedBytes - this.#explainedBytes - this.#emptyBytes - READ_AHEAD_BYTES;
    if (bytes <= 0) return;
    this.#emptyBytes += bytes;
    this.#meter?.empty(bytes);
    this.#mayReadOn();
  }

  /** Reads what has come, one message after the other, as long as the peer has credit. */
  #resumeReading(): void {
    this.#readSinceMs = this.#clock.elapsedMs();
    this.#isReading = true;
    try {
      for (
        let bytes = this.#unread[0];
        bytes !== undefined && !this.#isClosed && !this.isWaiting;
        bytes = this.#unread[0]
      ) {
        const read = this.#reader.push(bytes);
        this.#unread.shift();
        // Nothing waits any more when what was read has closed the link.
        if (read < bytes.length) this.#putBack(bytes.subarray(read));
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#listener.malformed(error);
    } finally {
      this.#isReading = false;
    }
  }

  #putBack(rest: Uint8Array): void {
    if (!this.#isClosed) this.#unread.unshift(rest);
  }

  #mayReadOn(): boolean {
    if (this.isWaiting) return false;
    const waitMs = this.#isClosed ? 0 : (this.#meter?.waitMs() ?? 0);
    if (waitMs <= 0) return true;
    // Paid before the wait is measured, so that something is read each time.
    this.#meter?.stops();
    this.pipe.pause();
    this.#cancelWait = this.#clock.after(Math.max(this.#meter?.waitMs() ?? 0, this.#nextLeastWaitMs()), () =>
      this.#resume(),
    );
    return false;
  }

  /** Longer for whoever was read for less time than it had waited before. */
  #nextLeastWaitMs(): number {
    const isAgain = this.#clock.elapsedMs() - this.#resumedMs < this.#leastWaitMs;
    this.#leastWaitMs = isAgain ? Math.min(2 * this.#leastWaitMs, MOST_LEAST_WAIT_MS) : LEAST_WAIT_MS;
    return this.#leastWaitMs;
  }

  #resume(): void {
    this.#cancelWait = undefined;
    this.#resumedMs = this.#clock.elapsedMs();
    this.#resumeReading();
    if (!this.#isClosed && !this.isWaiting) this.pipe.resume();
  }

  /** The time that the last message took. */
  #takeReadMs(): number {
    const nowMs = this.#clock.elapsedMs();
    const ms = nowMs - this.#readSinceMs;
    this.#readSinceMs = nowMs;
    return ms;
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
    this.#unread = [];
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    this.#reader.close();
  }

  #take(form: MessageForm, bytes: Uint8Array): void {
    if (form === consumed) this.#window.taken(Number(consumed.decode(bytes).bytes), this.#clock.elapsedMs());
    else this.#listener.take(form, bytes);
    if (form === consumed) this.#pump();
    this.#meter?.message(form, this.#takeReadMs(), bytes.length);
  }

  #noteFrame(lane: Lane, bytes: number): void {
    this.#received[lane] += bytes;
    this.#meter?.frame(this.#takeReadMs());
    const total = this.#received[2] + this.#received[3];
    if (!isPaced(lane) || total - this.#saidConsumed < CONSUMED_STEP_BYTES) return;
    this.#saidConsumed = total;
    this.send(consumed, { bytes: BigInt(total) });
  }

  #pump(): void {
    while (!this.#isClosed && this.pipe.waitingBytes < WRITTEN_AHEAD_BYTES) {
      const frame = this.#outbox.next();
      if (frame === undefined) return;
      this.pipe.write(frame);
    }
  }
}

function tooSlow(bytes: number): Refusal {
  return expectRefusal(() => refuse.too_slow({ bytes }));
}
