import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import type { BlockReader, WatchedHead } from './block_reader.ts';
import type { LatencyHistogram } from './latency_histogram.ts';

/** Short compared with a block interval, and next to no work for the node: heads alone, no block. */
const LOOK_MS = 50;

/** Figures that follow from heads. */
export interface WatchedHeads {
  readonly first: number;
  readonly last: number;
  readonly missedSlots: number;
  /** The number of failed requests for the head. */
  readonly silences: number;
}

/**
 * Follows the heads of a node's chain, and notes when each block was first seen and when it became irreversible. What
 * is in the blocks is read after the load (chain_blocks.ts): read meanwhile, it took the node half as much time as the
 * load.
 */
export class HeadWatch {
  readonly #reader: BlockReader;
  readonly #clock: Clock;
  readonly #intervals: LatencyHistogram;
  readonly #moved: (head: WatchedHead) => void;
  readonly #first: WatchedHead;
  /** By block. */
  readonly #seen = new Map<number, { readonly id: string | undefined; readonly atMs: number }>();
  /** Each time up to which block, ascending. */
  readonly #irreversible: { readonly upTo: number; readonly atMs: number }[] = [];
  /** The largest allowed size of a block each time that it changed, of blocks behind that one. */
  readonly #limits: { readonly after: number; readonly bytes: number }[];
  #head: WatchedHead;
  #lastBlockMs: number | undefined;
  #undone = 0;
  #silences = 0;
  #looks = 0;
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(
    reader: BlockReader,
    clock: Clock,
    head: WatchedHead,
    intervals: LatencyHistogram,
    moved: (head: WatchedHead) => void,
  ) {
    this.#reader = reader;
    this.#clock = clock;
    this.#intervals = intervals;
    this.#moved = moved;
    this.#first = head;
    this.#head = head;
    this.#limits = [{ after: 0, bytes: head.maximumBlockBytes }];
  }

  get head(): WatchedHead {
    return this.#head;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when the last look is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Resolves when every block that the node has by now has been seen, unless it can't be asked. */
  async lookedAgain(): Promise<void> {
    // The look that is under way may have had its answer before.
    const wanted = this.#looks + 2;
    while (this.#looks < wanted && !this.#isStopped) await sleep(LOOK_MS);
  }

  heads(): WatchedHeads {
    const [first, last] = [this.#first.number + 1, this.#head.number];
    const missedSlots = Math.max(0, this.#head.slot - this.#first.slot - (last - this.#first.number));
    return { first, last, missedSlots, silences: this.#silences };
  }

  /** Blocks that were seen and are not among those that the chain has in the end. */
  undone(ids: ReadonlyMap<number, string>): number {
    let undone = this.#undone;
    for (const [number, { id }] of this.#seen) if (this.#isOther(ids.get(number), id)) undone++;
    return undone;
  }

  /**
   * When each block that the chain has in the end was first seen: a block that has taken the place of another one when
   * a block above it was seen that is still there.
   */
  seenMs(ids: ReadonlyMap<number, string>): ReadonlyMap<number, number> {
    const moments = new Map<number, number>();
    let aboveMs: number | undefined;
    for (let number = this.#head.number; number > this.#first.number; number--) {
      const seen = this.#seen.get(number);
      if (seen !== undefined && !this.#isOther(ids.get(number), seen.id)) aboveMs = seen.atMs;
      if (aboveMs !== undefined) moments.set(number, aboveMs);
    }
    return moments;
  }

  /** The largest size that the chain allowed when that block was made. */
  maximumBytes(number: number): number {
    return this.#limits.findLast(({ after }) => after < number)?.bytes ?? 0;
  }

  /** When that block was first known to be irreversible; undefined when it isn't. */
  irreversibleMs(number: number): number | undefined {
    let [low, high] = [0, this.#irreversible.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#irreversible[middle]?.upTo ?? 0) >= number) high = middle;
      else low = middle + 1;
    }
    return this.#irreversible[low]?.atMs;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        this.#take(await this.#reader.head());
      } catch {
        // A node that restarts is asked again: what it knows then is what counts.
        this.#silences++;
      }
      this.#looks++;
      await sleep(LOOK_MS);
    }
  }

  #take(head: WatchedHead): void {
    const nowMs = this.#clock.elapsedMs();
    this.#noteFinality(head, nowMs);
    this.#noteLimit(head);
    if (head.id === this.#head.id) {
      // Votes make a block final that is the head already.
      this.#head = head;
      return;
    }
    const before = this.#head.number;
    if (this.#lastBlockMs !== undefined && head.number > before)
      this.#intervals.record((nowMs - this.#lastBlockMs) / (head.number - before));
    this.#lastBlockMs = nowMs;
    this.#head = head;
    this.#undo(head, before);
    for (let number = before + 1; number < head.number; number++)
      this.#seen.set(number, { id: undefined, atMs: nowMs });
    if (head.number > this.#first.number && !this.#seen.has(head.number))
      this.#seen.set(head.number, { id: head.id, atMs: nowMs });
    this.#moved(head);
  }

  #noteFinality({ irreversible }: WatchedHead, atMs: number): void {
    if (irreversible > (this.#irreversible.at(-1)?.upTo ?? this.#first.irreversible))
      this.#irreversible.push({ upTo: irreversible, atMs });
  }

  #noteLimit({ number, maximumBlockBytes: bytes }: WatchedHead): void {
    const before = this.#limits.at(-1)?.bytes ?? 0;
    if (bytes === before) return;
    // Blocks since the last look may have had either.
    this.#limits.push({ after: this.#head.number, bytes: Math.max(bytes, before) }, { after: number, bytes });
  }

  /** Takes back known blocks above the head, or in its place: they are on the chain no more. */
  #undo({ number, id }: WatchedHead, last: number): void {
    if (this.#isOther(id, this.#seen.get(number)?.id) && this.#seen.delete(number)) this.#undone++;
    for (let above = number + 1; above <= last; above++) if (this.#seen.delete(above)) this.#undone++;
  }

  #isOther(id: string | undefined, seen: string | undefined): boolean {
    return id !== undefined && seen !== undefined && id !== seen;
  }
}
