import type { Address } from '../../src/wire/addresses.ts';
import type { Pipe, PipeListener } from '../../src/wire/link/pipe.ts';
import type { RandomSource } from '../builders/random_source.ts';
import type { EventHeap } from './event_heap.ts';
import type { SimThread } from './sim_thread.ts';

/** Disturbances of bytes on their way from one machine to another. */
export interface Way {
  /** Undefined while nothing gets through. */
  readonly latencyMs: () => number | undefined;
  readonly jitterMs: number;
  /** So many of a hundred pieces are lost and sent again. */
  readonly lossPercent: number;
}

/** The serial uplink of a machine: what is sent waits for what was sent before. */
export interface Uplink {
  readonly bytesPerMs: number;
  freeAtMs: number;
}

export interface SimulatedPipeParts {
  readonly peer: string;
  readonly address: Address;
  readonly isInbound: boolean;
  readonly heap: EventHeap;
  readonly randomSource: RandomSource;
  readonly uplink: Uplink;
  readonly way: Way;
  readonly thread: SimThread | undefined;
}

const RESEND_MS = 200;
const RETRY_MS = 250;

/** One end of a connection of the simulated network. Bytes keep their order; a cut holds them up, as TCP does. */
export class SimulatedPipe implements Pipe {
  readonly peer: string;
  readonly address: Address;
  readonly isInbound: boolean;
  other: SimulatedPipe | undefined;
  listener: PipeListener | undefined;
  waitingBytes = 0;
  readonly #heap: EventHeap;
  readonly #randomSource: RandomSource;
  readonly #uplink: Uplink;
  readonly #way: Way;
  /** The writing thread; undefined when nobody counts its time. */
  readonly #thread: SimThread | undefined;
  #lastArrivalMs = 0;
  #isClosed = false;
  /** Pieces that should have arrived, and wait for the end of a cut. */
  #heldUp = 0;
  #isPaused = false;
  /** Arrived bytes while it is paused, in order. */
  readonly #unread = new Queue<Uint8Array | 'end'>();
  /** Bytes on their way, in order. */
  readonly #flying = new Queue<Uint8Array | 'end'>();

  constructor(parts: SimulatedPipeParts) {
    this.peer = parts.peer;
    this.address = parts.address;
    this.isInbound = parts.isInbound;
    this.#heap = parts.heap;
    this.#randomSource = parts.randomSource;
    this.#uplink = parts.uplink;
    this.#way = parts.way;
    this.#thread = parts.thread;
  }

  write(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#thread?.spend('piece', bytes.length);
    const leavesMs =
      Math.max(this.#thread?.nowMs ?? this.#heap.nowMs, this.#uplink.freeAtMs) + bytes.length / this.#uplink.bytesPerMs;
    this.#uplink.freeAtMs = leavesMs;
    this.waitingBytes += bytes.length;
    this.#heap.at(leavesMs, () => {
      this.waitingBytes -= bytes.length;
      if (this.waitingBytes === 0) this.listener?.drained();
    });
    this.#fly(bytes, leavesMs);
  }

  pause(): void {
    this.#thread?.spend('stop');
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    do {
      const what = this.#unread.shift();
      if (what === undefined) return;
      this.#read(what);
    } while (!this.#isReadingPaused());
  }

  /** True when the reader has paused again. */
  #isReadingPaused(): boolean {
    return this.#isPaused;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.listener = undefined;
    this.#fly('end', Math.max(this.#heap.nowMs, this.#uplink.freeAtMs));
  }

  /** The machine is gone, or the connection was reset: the other side hears of it at once. */
  reset(): void {
    const { listener } = this;
    this.#isClosed = true;
    this.listener = undefined;
    listener?.closed();
  }

  /** The machine is gone without a word: the other side will find out. */
  vanish(): void {
    this.#isClosed = true;
    this.listener = undefined;
  }

  #fly(what: Uint8Array | 'end', leavesMs: number): void {
    this.#flying.push(what);
    const latencyMs = this.#way.latencyMs() ?? RETRY_MS;
    const lost = this.#randomSource.chance(this.#way.lossPercent) ? RESEND_MS + latencyMs : 0;
    const arrivesMs = leavesMs + latencyMs + lost + this.#randomSource.roll(this.#way.jitterMs + 1);
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, arrivesMs);
    this.#heap.at(this.#lastArrivalMs, () => this.#land());
  }

  #holdUp(): void {
    if (this.#heldUp++ === 0) this.#heap.at(this.#heap.nowMs + RETRY_MS, () => this.#goOn());
  }

  /** Sends the next bytes, until both sides have given up. */
  #goOn(): void {
    if (this.#isClosed && (this.other === undefined || this.other.#isClosed)) return;
    let count = this.#heldUp;
    this.#heldUp = 0;
    if (this.#way.latencyMs() === undefined) {
      this.#holdUp();
      this.#heldUp = count;
    } else for (; count > 0; count--) this.#land();
  }

  #land(): void {
    // Nothing gets through: it is sent again and again, all that waits together.
    if (this.#way.latencyMs() === undefined) return this.#holdUp();
    if (this.#heldUp > 0) return void this.#heldUp++;
    const what = this.#flying.shift();
    if (what === undefined) return;
    this.other?.arrive(what);
  }

  /** Takes bytes that arrive, which wait in the kernel while nobody reads. */
  arrive(what: Uint8Array | 'end'): void {
    if (this.#isPaused || this.#unread.length > 0) this.#unread.push(what);
    else this.#read(what);
  }

  #read(what: Uint8Array | 'end'): void {
    if (what === 'end') this.reset();
    else this.listener?.received(what);
  }
}

/** Takes from the front without moving the rest: a flood has tens of thousands of pieces. */
class Queue<T> {
  #items: T[] = [];
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#start++];
    if (this.length === 0) [this.#items, this.#start] = [[], 0];
    return item;
  }
}
