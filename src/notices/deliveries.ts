import type { Clock } from '../base/clock.ts';
import { MOST_UNSENT_BYTES } from './lagging_followers.ts';
import type { Position } from '../queries/notices/position.ts';
import { makeFrame, type Following } from './stream.ts';

/** Notices between two looks at the clock. */
const NOTICES_AT_ONCE = 32;

/** The same items for several subscriptions. */
export interface Delivery {
  readonly items: string;
  readonly to: Iterator<Following>;
  /** The position before the items: one that is too slow for them goes on from there. */
  readonly before: Position;
  /** The block that they tell of; undefined when no block has it yet. */
  readonly number: number | undefined;
}

/**
 * Sends what is due in its order, in time slices. A notice is written once for all subscriptions with the same
 * return_id.
 */
export class Deliveries {
  readonly #clock: Clock;
  /** Takes a subscription whose reader is too slow. */
  readonly #fallBehind: (following: Following, position: Position) => void;
  #waiting: Delivery[] = [];
  readonly #frames = new Map<string, Uint8Array>();

  constructor(clock: Clock, fallBehind: (following: Following, position: Position) => void) {
    this.#clock = clock;
    this.#fallBehind = fallBehind;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(delivery: Delivery): void {
    this.#waiting.push(delivery);
  }

  clear(): void {
    this.#waiting = [];
    this.#frames.clear();
  }

  /** Sends until that time, or all. */
  sendUntil(endMs: number): void {
    let [done, sent] = [0, 0];
    for (const delivery of this.#waiting) {
      for (let next = delivery.to.next(); next.done !== true; next = delivery.to.next()) {
        this.#send(next.value, delivery);
        if (++sent % NOTICES_AT_ONCE === 0 && this.#clock.elapsedMs() >= endMs)
          return void this.#waiting.splice(0, done);
      }
      this.#frames.clear();
      done++;
    }
    this.#waiting = [];
  }

  #send(following: Following, { items, before, number }: Delivery): void {
    const { subscriber, returnId } = following;
    // It has ended, or fallen behind, since this was due.
    if (!following.stream.live.has(following)) return;
    if (subscriber.unsentBytes() > MOST_UNSENT_BYTES) return this.#fallBehind(following, before);
    const frame = this.#frames.get(returnId) ?? Buffer.from(makeFrame(returnId, items));
    if (this.#frames.size < NOTICES_AT_ONCE) this.#frames.set(returnId, frame);
    if (number !== undefined) following.lastNumber = number;
    subscriber.push(frame);
  }
}
