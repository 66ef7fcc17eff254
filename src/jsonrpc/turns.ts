import type { Clock } from '../base/clock.ts';

/** How long calls are processed before others get their turn: short enough that nobody notices. */
const TURN_MS = 10;
/** The part of a turn that one of several waiting senders gets. */
const SHARE_MS = 3;
/** Senders that are served in turns; the others wait until one of them is done, so that few hold half a response at once. */
const SENDERS_AT_ONCE = 16;
/** All bodies that wait, and those of one sender: a few dozen of the largest. */
const WAITING_BYTES = 64 * 1024 * 1024;
const WAITING_BYTES_OF_SENDER = WAITING_BYTES / 4;

/** A body that is processed when its turn comes. */
export interface Waiting {
  /** Who is accountable for it (http/sender_ids.ts). */
  readonly senderId: number;
  /** The size of the body. */
  readonly bytes: number;
  /** Processes until `endMs`; true when the body is done. */
  readonly takeTurn: (endMs: number) => boolean;
}

/** What one sender has waiting, the first first. */
interface Line {
  readonly senderId: number;
  readonly waiting: Waiting[];
  bytes: number;
}

/**
 * Who is served when. What comes while the event loop has a turn of 10 ms to spend is served at once; what comes later, or takes longer,
 * waits in the line of its sender, and the lines are served in turns. New input is processed between two turns.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #mostOfSender: number;
  readonly #mostInAll: number;
  readonly #lines = new Map<number, Line>();
  /** Those that are served in turns, the next first; behind them the others in the order of their coming. */
  readonly #served: Line[] = [];
  readonly #others = new Set<Line>();
  #startedMs = -Infinity;
  #isOpen = false;
  #isServing = false;
  #count = 0;
  #bytes = 0;

  /** At most so many bodies may wait, for one sender and in all. */
  constructor(clock: Clock, mostOfSender: number, mostInAll: number) {
    this.#clock = clock;
    this.#mostOfSender = mostOfSender;
    this.#mostInAll = mostInAll;
  }

  /** The end of the turn in which input is served at once; it begins with the first input behind other events. */
  endMsAt(nowMs: number): number {
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#startedMs = nowMs;
      this.#clock.after(0, () => void (this.#isOpen = false), false);
    }
    return this.#startedMs + TURN_MS;
  }

  /** Whether so large a body of that sender may not wait. */
  isFull(senderId: number, bytes: number): boolean {
    const line = this.#lines.get(senderId);
    if (this.#count >= this.#mostInAll || this.#bytes + bytes > WAITING_BYTES) return true;
    return line !== undefined && (line.waiting.length >= this.#mostOfSender || line.bytes + bytes > WAITING_BYTES_OF_SENDER);
  }

  add(waiting: Waiting): void {
    const { senderId, bytes } = waiting;
    const line = this.#lines.get(senderId) ?? this.#newLine(senderId);
    line.waiting.push(waiting);
    line.bytes += bytes;
    this.#bytes += bytes;
    this.#count++;
    this.#serveLater();
  }

  #newLine(senderId: number): Line {
    const line: Line = { senderId, waiting: [], bytes: 0 };
    this.#lines.set(senderId, line);
    if (this.#served.length < SENDERS_AT_ONCE) this.#served.push(line);
    else this.#others.add(line);
    return line;
  }

  #serveLater(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    this.#clock.after(0, () => this.#serve());
  }

  #serve(): void {
    this.#isServing = false;
    const endMs = this.#clock.elapsedMs() + TURN_MS;
    let nowMs = endMs - TURN_MS;
    while (nowMs < endMs) {
      const line = this.#served.shift();
      if (line === undefined) return;
      this.#serveLine(line, this.#served.length === 0 ? endMs : Math.min(endMs, nowMs + SHARE_MS));
      nowMs = this.#clock.elapsedMs();
      if (line.waiting.length > 0) this.#served.push(line);
      else this.#endLine(line);
    }
    if (this.#served.length > 0) this.#serveLater();
  }

  #endLine(line: Line): void {
    this.#lines.delete(line.senderId);
    const [next] = this.#others;
    if (next === undefined) return;
    this.#others.delete(next);
    this.#served.push(next);
  }

  #serveLine(line: Line, endMs: number): void {
    do {
      const [first] = line.waiting;
      if (first === undefined || !first.takeTurn(endMs)) return;
      line.waiting.shift();
      line.bytes -= first.bytes;
      this.#bytes -= first.bytes;
      this.#count--;
    } while (this.#clock.elapsedMs() < endMs);
  }
}
