import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { LOOK_UPS, type BlockReader, type SeenBlock, type WatchedHead } from './block_reader.ts';
import type { Inclusion } from './inclusion.ts';
import type { LatencyHistogram } from './latency_histogram.ts';

/** What was seen of the chain. */
export interface WatchedBlocks {
  readonly first: number;
  readonly last: number;
  readonly transactions: number;
  readonly mostTransactions: number;
  readonly undone: number;
  readonly missedSlots: number;
  /** How often the node could not be asked. */
  readonly silences: number;
}

/** Short compared with a block interval, and no load for the node. */
const LOOK_MS = 50;
/** Blocks whose ids are remembered, to notice that they were replaced. */
const REMEMBERED = 1000;

/** Follows the chain of a node: blocks as they come, those that are undone, and what becomes irreversible. */
export class BlockWatch {
  readonly #reader: BlockReader;
  readonly #clock: Clock;
  readonly #inclusion: Inclusion;
  readonly #intervals: LatencyHistogram;
  readonly #moved: (head: WatchedHead) => void;
  readonly #known = new Map<number, string>();
  readonly #first: WatchedHead;
  #head: WatchedHead;
  #next: number;
  #lastBlockMs: number | undefined;
  #transactions = 0;
  #mostTransactions = 0;
  #undone = 0;
  #silences = 0;
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(
    reader: BlockReader,
    clock: Clock,
    head: WatchedHead,
    told: { readonly inclusion: Inclusion; readonly intervals: LatencyHistogram; moved(head: WatchedHead): void },
  ) {
    this.#reader = reader;
    this.#clock = clock;
    this.#inclusion = told.inclusion;
    this.#intervals = told.intervals;
    this.#moved = told.moved;
    this.#first = head;
    this.#head = head;
    this.#next = head.number + 1;
    this.#known.set(head.number, head.id);
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

  blocks(): WatchedBlocks {
    const last = this.#next - 1;
    const blocks = last - this.#first.number;
    return {
      first: this.#first.number + 1,
      last,
      transactions: this.#transactions,
      mostTransactions: this.#mostTransactions,
      undone: this.#undone,
      missedSlots: Math.max(0, this.#head.slot - this.#first.slot - blocks),
      silences: this.#silences,
    };
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#look();
      } catch {
        // A node that restarts is asked again: what it knows then is what counts.
        this.#silences++;
      }
      await sleep(LOOK_MS);
    }
  }

  async #look(): Promise<void> {
    const head = await this.#reader.head();
    const nowMs = this.#clock.elapsedMs();
    if (head.id === this.#head.id && this.#next > head.number) return;
    if (this.#lastBlockMs !== undefined && head.number > this.#head.number)
      this.#intervals.record((nowMs - this.#lastBlockMs) / (head.number - this.#head.number));
    this.#lastBlockMs = nowMs;
    this.#head = head;
    this.#undoAbove(head);
    while (this.#next <= head.number) await this.#take(this.#next, nowMs);
    this.#inclusion.irreversible(head.irreversible, nowMs);
    this.#moved(head);
  }

  /** What was known above the head, or in its place, is on the chain no more. */
  #undoAbove({ number, id }: WatchedHead): void {
    const known = this.#known.get(number);
    const from = known !== undefined && known !== id ? number : number + 1;
    while (this.#next > from && this.#next - 1 > 0) this.#undo();
  }

  #undo(): void {
    this.#next--;
    this.#known.delete(this.#next);
    this.#undone++;
    this.#inclusion.undone(this.#next);
  }

  async #take(number: number, nowMs: number): Promise<void> {
    const block = await this.#reader.block(number);
    const before = this.#known.get(number - 1);
    if (block !== undefined && before !== undefined && block.previous !== before) return this.#undo();
    if (block === undefined) await this.#lookUp(nowMs);
    else this.#note(number, block, nowMs);
    this.#next = number + 1;
  }

  #note(number: number, { id, transactionIds }: SeenBlock, nowMs: number): void {
    this.#known.set(number, id);
    const [oldest] = this.#known.keys();
    if (this.#known.size > REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    this.#transactions += transactionIds.length;
    this.#mostTransactions = Math.max(this.#mostTransactions, transactionIds.length);
    this.#inclusion.inBlock(number, transactionIds, nowMs);
  }

  /** The block is too large to be sent, so transactions are looked up by id, oldest first, as long as they are found. */
  async #lookUp(nowMs: number): Promise<void> {
    for (;;) {
      const ids = this.#inclusion.someWaiting(LOOK_UPS);
      const blocks = await this.#reader.blocksOf(ids);
      let found = 0;
      for (const [index, number] of blocks.entries()) {
        const id = ids[index];
        if (number === undefined || id === undefined) continue;
        this.#inclusion.inBlock(number, [id], nowMs);
        found++;
      }
      this.#transactions += found;
      if (found === 0) return;
    }
  }
}
