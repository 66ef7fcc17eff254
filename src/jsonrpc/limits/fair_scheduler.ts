import { present } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import { SharedSum, type SharedSumLimits } from './shared_sum.ts';

/** The time for which calls are processed before the event loop gets new input: nobody notices it. */
const TIME_SLICE_MS = 10;
/**
 * Behind the time slice: how long each sender is still answered at once whose connection would be lost otherwise, and
 * all of them together. A hundred small reads that come in one packet take 10 ms on a machine that does nothing else.
 */
const EXTRA_SENDER_MS = 30;
const EXTRA_MS = 40;
/** The part of a time slice that one of several waiting senders gets. */
const SENDER_SLICE_MS = 3;
/**
 * Senders that are served by turns; the others wait until one of them is done, so that few hold half a response at
 * once.
 */
const MOST_ACTIVE_SENDERS = 16;
/** All bodies that wait, and those of one address: a few dozen of the largest. */
const WAITING_BYTES = 64 * 1024 * 1024;
const WAITING_BYTES_PER_ADDRESS = WAITING_BYTES / 4;

/** A body that waits for a time slice. */
export interface WaitingBody {
  /** The sender that is accountable for it (http/sender_ids.ts). */
  readonly senderId: number;
  /** The one that it is counted for. */
  readonly address: string;
  /** The size of the body. */
  readonly bytes: number;
  /** Processes until `endMs`; true when the body is done. */
  readonly runSlice: (endMs: number) => boolean;
}

/** The waiting calls of one sender, the first first. */
interface SenderQueue {
  readonly senderId: number;
  readonly waiting: WaitingBody[];
}

/**
 * Shares the thread fairly among senders. What comes while the event loop has some of a time slice of 10 ms left is
 * processed at once; what comes later, or takes longer, waits in the queue of its sender, and the queues are served
 * round robin. New input is read between two slices.
 */
export class FairScheduler {
  readonly #clock: Clock;
  readonly #mostOfSender: number;
  readonly #bodies: SharedSum;
  readonly #bytes = new SharedSum({ inAll: WAITING_BYTES, perAddress: WAITING_BYTES_PER_ADDRESS });
  readonly #queues = new Map<number, SenderQueue>();
  /** Those that are served by turns, the next first; the others in the order in which they came. */
  readonly #active: SenderQueue[] = [];
  readonly #inactive = new Set<SenderQueue>();
  /** Milliseconds that senders had behind the slice that is open. */
  readonly #extraMs = new Map<number, number>();
  #startedMs = -Infinity;
  #isSliceOpen = false;
  #isServing = false;

  /** `mostOfSender` bodies of one sender may wait; `bodies` limits those of one address, and all. */
  constructor(clock: Clock, mostOfSender: number, bodies: SharedSumLimits) {
    this.#clock = clock;
    this.#mostOfSender = mostOfSender;
    this.#bodies = new SharedSum(bodies);
  }

  /**
   * The end of the time slice in which input is processed at once; it begins with the first input after other events.
   */
  sliceEndMs(nowMs: number): number {
    if (!this.#isSliceOpen) {
      this.#isSliceOpen = true;
      this.#startedMs = nowMs;
      this.#extraMs.clear();
      this.#clock.after(0, () => void (this.#isSliceOpen = false), false);
    }
    return this.#startedMs + TIME_SLICE_MS;
  }

  /**
   * Behind the time slice: until when a body of a sender is processed that can't wait; not later than now where the
   * sender had its part.
   */
  extraEndMs(senderId: number, nowMs: number): number {
    const hadMs = this.#extraMs.get(senderId) ?? 0;
    return Math.min(this.#startedMs + TIME_SLICE_MS + EXTRA_MS, nowMs + EXTRA_SENDER_MS - hadMs);
  }

  /** Such a body has taken so long. */
  tookExtra(senderId: number, ms: number): void {
    this.#extraMs.set(senderId, (this.#extraMs.get(senderId) ?? 0) + ms);
  }

  /** Returns whether so large a body of that sender may not wait. */
  isFull({ senderId, address, bytes }: Omit<WaitingBody, 'runSlice'>): boolean {
    const waiting = this.#queues.get(senderId)?.waiting.length ?? 0;
    if (waiting >= this.#mostOfSender) return true;
    return (this.#bodies.limitFor(address, 1) ?? this.#bytes.limitFor(address, bytes)) !== undefined;
  }

  add(body: WaitingBody): void {
    const { senderId, address, bytes } = body;
    const queue = this.#queues.get(senderId) ?? this.#newQueue(senderId);
    queue.waiting.push(body);
    this.#bodies.change(address, 1);
    this.#bytes.change(address, bytes);
    this.#serveLater();
  }

  #newQueue(senderId: number): SenderQueue {
    const queue: SenderQueue = { senderId, waiting: [] };
    this.#queues.set(senderId, queue);
    if (this.#active.length < MOST_ACTIVE_SENDERS) this.#active.push(queue);
    else this.#inactive.add(queue);
    return queue;
  }

  #serveLater(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    this.#clock.after(0, () => this.#serve());
  }

  #serve(): void {
    this.#isServing = false;
    const nowMs = this.#clock.elapsedMs();
    // However slow the machine is, each turn serves somebody.
    this.#serveNext(nowMs, nowMs + TIME_SLICE_MS);
  }

  /** Serves the next sender and those behind it until `endMs`. */
  #serveNext(nowMs: number, endMs: number): void {
    const queue = nowMs < endMs ? this.#active.shift() : undefined;
    if (queue !== undefined)
      this.#serveBody(queue, this.#active.length === 0 ? endMs : Math.min(endMs, nowMs + SENDER_SLICE_MS), endMs);
    else if (this.#active.length > 0) this.#serveLater();
  }

  /** Serves the first body of a sender. Its answer is sent before the next one's turn, because sending takes time, too. */
  #serveBody(queue: SenderQueue, senderEndMs: number, endMs: number): void {
    const first = present(queue.waiting[0], 'a body that waits');
    const isDone = first.runSlice(senderEndMs);
    if (isDone) {
      queue.waiting.shift();
      this.#bodies.change(first.address, -1);
      this.#bytes.change(first.address, -first.bytes);
    }
    queueMicrotask(() => {
      if (isDone && queue.waiting.length > 0 && this.#clock.elapsedMs() < senderEndMs) {
        this.#serveBody(queue, senderEndMs, endMs);
        return;
      }
      if (queue.waiting.length > 0) this.#active.push(queue);
      else this.#endQueue(queue);
      this.#serveNext(this.#clock.elapsedMs(), endMs);
    });
  }

  #endQueue(queue: SenderQueue): void {
    this.#queues.delete(queue.senderId);
    const [next] = this.#inactive;
    if (next === undefined) return;
    this.#inactive.delete(next);
    this.#active.push(next);
  }
}
