import type { Clock } from '../base/clock.ts';

/** How long calls are processed before the event loop gets new input: short enough that nobody notices. */
const TIME_SLICE_MS = 10;
/** The part of a time slice that one of several waiting senders gets. */
const SENDER_SLICE_MS = 3;
/** Senders that are served by turns; the others wait until one of them is done, so that few hold half a response at once. */
const MOST_ACTIVE_SENDERS = 16;
/** All bodies that wait, and those of one sender: a few dozen of the largest. */
const WAITING_BYTES = 64 * 1024 * 1024;
const WAITING_BYTES_OF_SENDER = WAITING_BYTES / 4;

/** A body that waits for a time slice. */
export interface WaitingBody {
  /** Who is accountable for it (http/sender_ids.ts). */
  readonly senderId: number;
  /** The size of the body. */
  readonly bytes: number;
  /** Processes until `endMs`; true when the body is done. */
  readonly runSlice: (endMs: number) => boolean;
}

/** What one sender has waiting, the first first. */
interface SenderQueue {
  readonly senderId: number;
  readonly waiting: WaitingBody[];
  bytes: number;
}

/**
 * Shares the thread fairly among senders. What comes while the event loop has some of a time slice of 10 ms left is processed at once; what
 * comes later, or takes longer, waits in the queue of its sender, and the queues are served round robin. New input is read between two
 * slices.
 */
export class FairScheduler {
  readonly #clock: Clock;
  readonly #mostOfSender: number;
  readonly #mostInAll: number;
  readonly #queues = new Map<number, SenderQueue>();
  /** Those that are served by turns, the next first; the others in the order in which they came. */
  readonly #active: SenderQueue[] = [];
  readonly #inactive = new Set<SenderQueue>();
  #startedMs = -Infinity;
  #isSliceOpen = false;
  #isServing = false;
  #count = 0;
  #bytes = 0;

  /** At most so many bodies may wait, for one sender and in all. */
  constructor(clock: Clock, mostOfSender: number, mostInAll: number) {
    this.#clock = clock;
    this.#mostOfSender = mostOfSender;
    this.#mostInAll = mostInAll;
  }

  /** The end of the time slice in which input is processed at once; it begins with the first input after other events. */
  sliceEndMs(nowMs: number): number {
    if (!this.#isSliceOpen) {
      this.#isSliceOpen = true;
      this.#startedMs = nowMs;
      this.#clock.after(0, () => void (this.#isSliceOpen = false), false);
    }
    return this.#startedMs + TIME_SLICE_MS;
  }

  /** Whether so large a body of that sender may not wait. */
  isFull(senderId: number, bytes: number): boolean {
    const queue = this.#queues.get(senderId);
    if (this.#count >= this.#mostInAll || this.#bytes + bytes > WAITING_BYTES) return true;
    return queue !== undefined && (queue.waiting.length >= this.#mostOfSender || queue.bytes + bytes > WAITING_BYTES_OF_SENDER);
  }

  add(body: WaitingBody): void {
    const { senderId, bytes } = body;
    const queue = this.#queues.get(senderId) ?? this.#newQueue(senderId);
    queue.waiting.push(body);
    queue.bytes += bytes;
    this.#bytes += bytes;
    this.#count++;
    this.#serveLater();
  }

  #newQueue(senderId: number): SenderQueue {
    const queue: SenderQueue = { senderId, waiting: [], bytes: 0 };
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
    const endMs = this.#clock.elapsedMs() + TIME_SLICE_MS;
    let nowMs = endMs - TIME_SLICE_MS;
    while (nowMs < endMs) {
      const queue = this.#active.shift();
      if (queue === undefined) return;
      this.#serveQueue(queue, this.#active.length === 0 ? endMs : Math.min(endMs, nowMs + SENDER_SLICE_MS));
      nowMs = this.#clock.elapsedMs();
      if (queue.waiting.length > 0) this.#active.push(queue);
      else this.#endQueue(queue);
    }
    if (this.#active.length > 0) this.#serveLater();
  }

  #endQueue(queue: SenderQueue): void {
    this.#queues.delete(queue.senderId);
    const [next] = this.#inactive;
    if (next === undefined) return;
    this.#inactive.delete(next);
    this.#active.push(next);
  }

  #serveQueue(queue: SenderQueue, endMs: number): void {
    do {
      const [first] = queue.waiting;
      if (first === undefined || !first.runSlice(endMs)) return;
      queue.waiting.shift();
      queue.bytes -= first.bytes;
      this.#bytes -= first.bytes;
      this.#count--;
    } while (this.#clock.elapsedMs() < endMs);
  }
}
