import { Bucket } from './bucket.ts';

/** How much of one kind of work strangers may cause, in milliseconds of work a second. */
export interface WorkLimits {
  /** All of them together. */
  readonly ofAll: number;
  /** One of them, also while nobody else wants anything. */
  readonly ofPeer: number;
}

/** Half a second's worth may come at once: the longest that all strangers together hold up anything. */
const DEEP_SECONDS = 0.5;

/**
 * Work that strangers cause. While all together stay below their limit nobody waits for others; above it each group of addresses has an equal
 * part, and in it each peer.
 */
export class WorkBudget {
  readonly #limits: WorkLimits;
  readonly #all: Bucket;
  readonly #groups = new Map<string, number>();

  constructor(limits: WorkLimits, nowMs: number) {
    this.#limits = limits;
    this.#all = new Bucket(limits.ofAll, DEEP_SECONDS, nowMs);
  }

  /** The account of a peer of that group; `close` ends it. Undefined for whom the operator has chosen: it takes nothing from strangers. */
  open(group: string | undefined, nowMs: number): WorkAccount {
    if (group === undefined) return new ChosenAccount(nowMs);
    this.#groups.set(group, (this.#groups.get(group) ?? 0) + 1);
    const own = new Bucket(this.#limits.ofPeer, DEEP_SECONDS, nowMs);
    const part = new Bucket(this.#partOf(group), DEEP_SECONDS, nowMs);
    return {
      owe: (ms, atMs) => {
        part.setRate(this.#partOf(group), DEEP_SECONDS, atMs);
        for (const bucket of [own, part, this.#all]) bucket.owe(ms, atMs);
      },
      waitMs: (ms, atMs) => {
        part.setRate(this.#partOf(group), DEEP_SECONDS, atMs);
        const [ofAll, ofPart] = [this.#all.waitMs(0, atMs), part.waitMs(0, atMs)];
        return Math.max(own.waitMs(ms, atMs), Math.min(ofAll, ofPart));
      },
      close: () => this.#leave(group),
    };
  }

  #leave(group: string): void {
    const left = (this.#groups.get(group) ?? 0) - 1;
    if (left > 0) this.#groups.set(group, left);
    else this.#groups.delete(group);
  }

  #partOf(group: string): number {
    return this.#limits.ofAll / Math.max(1, this.#groups.size) / (this.#groups.get(group) ?? 1);
  }
}

/** What a peer may still cost. */
export interface WorkAccount {
  /** So much work was done for it; a negative one is given back. */
  owe(ms: number, nowMs: number): void;
  /** How long it has to wait until there is credit for so much; 0 when there is. */
  waitMs(ms: number, nowMs: number): number;
  close(): void;
}

/** Whom the operator has chosen may take half of what there is: a mistake of theirs must not stop us either. */
const CHOSEN_MS_PER_SECOND = 500;

class ChosenAccount implements WorkAccount {
  readonly #bucket: Bucket;

  constructor(nowMs: number) {
    this.#bucket = new Bucket(CHOSEN_MS_PER_SECOND, DEEP_SECONDS, nowMs);
  }

  owe(ms: number, nowMs: number): void {
    this.#bucket.owe(ms, nowMs);
  }

  waitMs(ms: number, nowMs: number): number {
    return this.#bucket.waitMs(ms, nowMs);
  }

  close(): void {
    // Nobody shares it.
  }
}
