import type { Clock } from '../base/clock.ts';
import type { Seconds } from '../values/time.ts';
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
}

/** Longest sleep: a block of somebody else may move the next slot. */
const LONGEST_SLEEP_MS = 1000;
/** A timer may fire a little early; a second look a moment later costs nothing. */
const SHORTEST_SLEEP_MS = 5;

/** Wakes at the beginning of each slot and produces when it is this node's turn. */
export class ProductionLoop {
  readonly #options: ProductionLoopOptions;
  #isSynced: boolean;
  #cancel: () => void = () => {};
  #nextMs: number;

  constructor(options: ProductionLoopOptions) {
    this.#options = options;
    this.#isSynced = options.allowStale;
    this.#nextMs = options.clock.nowMs();
  }

  start(): void {
    this.#sleep();
  }

  stop(): void {
    this.#cancel();
  }

  #sleep(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(Math.max(0, this.#wakeMs() - clock.nowMs()), () => {
      this.#attempt();
      this.#sleep();
    });
  }

  #wakeMs(): number {
    const { clock, chain, everyMs } = this.#options;
    const nowMs = clock.nowMs();
    if (everyMs !== undefined) {
      // Counting from the last wake keeps the pace; a stall is not made up for by a burst.
      this.#nextMs = Math.max(this.#nextMs + everyMs, nowMs);
      return this.#nextMs;
    }
    const slotMs = chain.slotTime(1) * 1000;
    return slotMs <= nowMs
      ? nowMs + LONGEST_SLEEP_MS - (nowMs % LONGEST_SLEEP_MS)
      : Math.max(Math.min(slotMs, nowMs + LONGEST_SLEEP_MS), nowMs + SHORTEST_SLEEP_MS);
  }

  #attempt(): void {
    const turn = this.#turn();
    if (turn.kind !== 'produce') return this.#options.passed(turn.kind);
    this.#options.produce(turn, this.#options.everyMs === undefined ? turn.timestamp * 1000 : this.#nextMs);
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
