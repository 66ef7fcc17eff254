import type { Clock } from '../base/clock.ts';
import type { Seconds } from '../values/time.ts';
import type { Look } from './production_watch.ts';
import { ownSlot, productionSlotAt, type NoSlot, type Producer, type ProductionView, type ProductionSlot } from './produce.ts';

/** What the loop drives. */
export interface ProductionLoopOptions {
  readonly clock: Clock;
  readonly chain: ProductionView;
  readonly producer: Producer;
  /** Produce although the head is old. */
  readonly allowStale: boolean;
  /** For development: a block every so many milliseconds. The chain's time runs ahead of the clock then. */
  readonly everyMs: number | undefined;
  /** `slotMs` is when the slot began by `clock`: it tells how late the block is. */
  produce(turn: ProductionSlot, slotMs: number): void;
  /** Called for every attempt that makes no block. */
  passed(reason: NoSlot['kind']): void;
  /** Called behind every attempt, with what came of it. */
  looked(look: Look): void;
  /** Called whenever the loop wakes, before it looks at the clock. */
  woke(): void;
}

/** Longest sleep until a slot: a block of somebody else may move the next one. */
const LONGEST_SLEEP_MS = 1000;
/** The same at a pace of its own: the clock may have been set meanwhile. */
const LONGEST_PAUSE_MS = 60_000;
/** A timer may fire a little early; a second look a moment later costs nothing. */
const SHORTEST_SLEEP_MS = 5;

/** Wakes at the beginning of each slot and produces when it is this node's turn, by what the clock says at that moment. */
export class ProductionLoop {
  readonly #options: ProductionLoopOptions;
  #isSynced: boolean;
  #cancel: () => void = () => {};
  /** At a pace of its own: when the next block is due. */
  #nextMs: number;

  constructor(options: ProductionLoopOptions) {
    this.#options = options;
    this.#isSynced = options.allowStale;
    this.#nextMs = options.clock.nowMs() + (options.everyMs ?? 0);
  }

  start(): void {
    this.#sleep();
  }

  stop(): void {
    this.#cancel();
  }

  #sleep(): void {
    const { clock, everyMs } = this.#options;
    const nowMs = clock.nowMs();
    const delayMs = everyMs === undefined ? this.#untilSlotMs(nowMs) : this.#untilDueMs(nowMs, everyMs);
    this.#cancel = clock.after(delayMs, () => {
      this.#options.woke();
      if (everyMs === undefined || clock.nowMs() >= this.#nextMs) this.#attempt();
      this.#sleep();
    });
  }

  #untilSlotMs(nowMs: number): number {
    const slotMs = this.#options.chain.slotTime(1) * 1000;
    if (slotMs <= nowMs) return LONGEST_SLEEP_MS - (nowMs % LONGEST_SLEEP_MS);
    return Math.max(Math.min(slotMs - nowMs, LONGEST_SLEEP_MS), SHORTEST_SLEEP_MS);
  }

  #untilDueMs(nowMs: number, everyMs: number): number {
    // The clock was set back: what is due then would wait for as long as it was.
    this.#nextMs = Math.min(this.#nextMs, nowMs + everyMs);
    return Math.min(Math.max(0, this.#nextMs - nowMs), LONGEST_PAUSE_MS);
  }

  #attempt(): void {
    const { clock, everyMs, passed, produce, looked } = this.#options;
    const turn = this.#turn();
    const nowMs = clock.nowMs();
    if (turn.kind === 'produce') produce(turn, everyMs === undefined ? turn.timestamp * 1000 : this.#nextMs);
    else passed(turn.kind);
    // Counting from when it was due keeps the pace; a stall is not made up for by a burst.
    if (everyMs !== undefined) this.#nextMs = Math.max(this.#nextMs + everyMs, clock.nowMs());
    looked({ nowMs, turn });
  }

  #turn(): ProductionSlot | NoSlot {
    const { clock, chain, producer, everyMs } = this.#options;
    const nowMs = clock.nowMs();
    if (chain.slotTime(1) * 1000 >= nowMs - LONGEST_SLEEP_MS) this.#isSynced = true;
    if (!this.#isSynced) return { kind: 'not_synced' };
    if (everyMs === undefined) return productionSlotAt(nowMs, chain, producer);
    return nextOwnSlot(Math.trunc(nowMs / 1000), chain, producer);
  }
}

/** A round is no longer; beyond it there is no turn of ours until the schedule changes. */
const MOST_SLOTS_AHEAD = 255;

/** The first slot of ours from `now` on, or from the head on where that is later: the time of others' slots passes at once. */
function nextOwnSlot(now: Seconds, chain: ProductionView, producer: Producer): ProductionSlot | NoSlot {
  let turn = ownSlot(chain.productionSlotAt(Math.max(now, chain.slotTime(1))), producer);
  for (let slot = 2; slot <= MOST_SLOTS_AHEAD && turn.kind === 'not_my_turn'; slot++) {
    const time = chain.slotTime(slot);
    if (time > now) turn = ownSlot(chain.productionSlotAt(time), producer);
  }
  return turn;
}
