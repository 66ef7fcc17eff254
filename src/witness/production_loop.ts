import type { Clock } from '../base/clock.ts';
import type { Seconds } from '../values/time.ts';
import type { Look } from './production_watch.ts';
import {
  ownSlot,
  chooseProductionSlot,
  type HeldBack,
  type NoSlot,
  type Producer,
  type ProductionView,
  type ProductionSlot,
} from './produce.ts';

export interface ProductionLoopOptions {
  readonly clock: Clock;
  readonly chain: ProductionView;
  readonly producer: Producer;
  /** Produce even if the head block is old. */
  readonly allowStale: boolean;
  /** For development: a block every this many milliseconds. The chain's time then runs ahead of the clock. */
  readonly everyMs: number | undefined;
  /** True when enough witnesses are alive to make blocks although few slots were filled, or the head is old. */
  areEnoughAlive(): boolean;
  /** `slotMs` is when the slot began by `clock`, to measure how late the block is. */
  produce(slot: ProductionSlot, slotMs: number): void;
  /** Returns the reason not to sign one of our slots; undefined to sign it. */
  heldBack(slot: ProductionSlot): HeldBack | undefined;
  /** Called for each attempt that produces no block. */
  passed(reason: NoSlot['kind']): void;
  /** Called after each attempt, with its result. */
  looked(look: Look): void;
  /** Called whenever the loop wakes, before it reads the clock. */
  woke(): void;
}

/** Longest sleep until a slot: another witness's block may move the next one. */
const LONGEST_SLEEP_MS = 1000;
/** The same with `everyMs`: the clock may be set meanwhile. */
const LONGEST_PAUSE_MS = 60_000;
/** A timer may fire slightly early; checking again a moment later costs nothing. */
const SHORTEST_SLEEP_MS = 5;

/** Wakes at the beginning of each slot and produces when, by the clock at that moment, it is this node's turn. */
export class ProductionLoop {
  readonly #options: ProductionLoopOptions;
  #isSynced: boolean;
  #cancel: () => void = () => {};
  /** With `everyMs`: when the next block is due. */
  #nextMs: number;

  constructor(options: ProductionLoopOptions) {
    this.#options = options;
    this.#isSynced = options.allowStale;
    this.#nextMs = options.clock.nowMs() + (options.everyMs ?? 0);
  }

  start(): void {
    this.#sleep(this.#options.clock.nowMs());
  }

  /** Produces from now on, however old the head is. */
  goOn(): void {
    this.#isSynced = true;
  }

  stop(): void {
    this.#cancel();
  }

  /** Until what comes behind the last look. */
  #sleep(lookedMs: number): void {
    const { clock, everyMs } = this.#options;
    const delayMs = everyMs === undefined ? this.#untilSlotMs(lookedMs) : this.#untilDueMs(clock.nowMs(), everyMs);
    this.#cancel = clock.after(delayMs, () => {
      this.#options.woke();
      // Read once: a slot that began between two readings would be none's.
      const nowMs = clock.nowMs();
      if (everyMs === undefined || nowMs >= this.#nextMs) this.#attempt(nowMs);
      this.#sleep(nowMs);
    });
  }

  /** A slot that has begun since the last look begins at once. */
  #untilSlotMs(lookedMs: number): number {
    const slotMs = this.#options.chain.slotTime(1) * 1000;
    const nowMs = this.#options.clock.nowMs();
    if (slotMs <= lookedMs) return LONGEST_SLEEP_MS - (nowMs % LONGEST_SLEEP_MS);
    return Math.max(Math.min(slotMs - nowMs, LONGEST_SLEEP_MS), SHORTEST_SLEEP_MS);
  }

  #untilDueMs(nowMs: number, everyMs: number): number {
    // If the clock was set back, the next block would otherwise be delayed by as much.
    this.#nextMs = Math.min(this.#nextMs, nowMs + everyMs);
    return Math.min(Math.max(0, this.#nextMs - nowMs), LONGEST_PAUSE_MS);
  }

  #attempt(nowMs: number): void {
    const { clock, everyMs, passed, produce, looked } = this.#options;
    const slot = this.#unlessHeldBack(this.#chooseSlot(nowMs));
    if (slot.kind === 'produce') produce(slot, everyMs === undefined ? slot.timestamp * 1000 : this.#nextMs);
    else passed(slot.kind);
    // Counting from the due time keeps the pace; after a stall there is no burst of blocks to catch up.
    if (everyMs !== undefined) this.#nextMs = Math.max(this.#nextMs + everyMs, clock.nowMs());
    looked({ nowMs, slot });
  }

  #unlessHeldBack(slot: ProductionSlot | NoSlot): ProductionSlot | NoSlot {
    const kind = slot.kind === 'produce' ? this.#options.heldBack(slot) : undefined;
    return kind === undefined ? slot : { kind };
  }

  #chooseSlot(nowMs: number): ProductionSlot | NoSlot {
    const { chain, producer, everyMs, areEnoughAlive } = this.#options;
    if (chain.slotTime(1) * 1000 >= nowMs - LONGEST_SLEEP_MS) this.#isSynced = true;
    if (!this.#isSynced && !areEnoughAlive()) return { kind: 'not_synced' };
    if (everyMs === undefined) return chooseProductionSlot(nowMs, chain, producer, areEnoughAlive);
    return nextOwnSlot(Math.trunc(nowMs / 1000), chain, producer);
  }
}

/** The longest round; without a slot of ours within it, there is none until the schedule changes. */
const MOST_SLOTS_AHEAD = 255;

/**
 * Our first slot from `now` on, or from the head if that is later: slots of other witnesses are skipped without
 * waiting.
 */
function nextOwnSlot(now: Seconds, chain: ProductionView, producer: Producer): ProductionSlot | NoSlot {
  let found = ownSlot(chain.findProductionSlot(Math.max(now, chain.slotTime(1))), producer);
  for (let slot = 2; slot <= MOST_SLOTS_AHEAD && found.kind === 'not_my_turn'; slot++) {
    const time = chain.slotTime(slot);
    if (time > now) found = ownSlot(chain.findProductionSlot(time), producer);
  }
  return found;
}
