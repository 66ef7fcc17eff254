import { Bucket } from './bucket.ts';

/** A limit on one kind of work of strangers, in milliseconds of work a second. */
export interface WorkLimits {
  /** All of them together. */
  readonly ofAll: number;
  /** One of them, also while nobody else wants anything. */
  readonly ofPeer: number;
}

/** Half a second's worth may come at once: the longest that all strangers together hold up anything. */
const DEEP_SECONDS = 0.5;
/** The debt of a neighbour in the address group must not lock others out for more than some seconds. */
const MOST_GROUP_DEBT_MS = 5;
/** Groups that are remembered: ten handshakes a second, and a debt is paid off in seconds. */
const MOST_DEBTS = 256;

/**
 * Work that strangers cause. While all together stay below their limit nobody waits for others; above it each group of
 * addresses has an equal part, and in it each peer.
 */
export class WorkBudget {
  readonly #limits: WorkLimits;
  readonly #all: Bucket;
  readonly #groups = new Map<string, number>();
  /** Parts of groups whose peers have left without having paid, the oldest first. */
  readonly #debts = new Map<string, Bucket>();
  #chargedMs = 0;

  constructor(limits: WorkLimits, nowMs: number) {
    this.#limits = limits;
    this.#all = new Bucket(limits.ofAll, DEEP_SECONDS, nowMs);
  }

  /** All work that strangers have caused so far, also what was given back. */
  get chargedMs(): number {
    return this.#chargedMs;
  }

  /**
   * The account of a peer of that group; `close` ends it. Undefined for whom the operator has chosen: it takes nothing
   * from strangers.
   */
  open(group: string | undefined, nowMs: number): WorkAccount {
    if (group === undefined) return new ChosenAccount(nowMs);
    this.#groups.set(group, (this.#groups.get(group) ?? 0) + 1);
    const own = new Bucket(this.#limits.ofPeer, DEEP_SECONDS, nowMs);
    const part = this.#partFor(group, nowMs);
    let lastMs = nowMs;
    return {
      owe: (ms, atMs) => {
        lastMs = atMs;
        this.#chargedMs += Math.max(0, ms);
        part.setRate(this.#partOf(group), DEEP_SECONDS, atMs);
        for (const bucket of [own, part, this.#all]) bucket.owe(ms, atMs);
      },
      waitMs: (ms, atMs) => {
        lastMs = atMs;
        part.setRate(this.#partOf(group), DEEP_SECONDS, atMs);
        const [ofAll, ofPart] = [this.#all.waitMs(0, atMs), part.waitMs(0, atMs)];
        return Math.max(own.waitMs(ms, atMs), Math.min(ofAll, ofPart));
      },
      close: () => {
        this.#leave(group);
        this.#keepDebt(group, part, lastMs);
      },
    };
  }

  /** Work of strangers who have no account (yet): those who have one wait for their part the sooner. */
  oweAll(ms: number, nowMs: number): void {
    this.#chargedMs += ms;
    this.#all.owe(ms, nowMs);
  }

  /** Work of somebody of a group who has no account: its next peer begins with it. */
  oweGroup(group: string, ms: number, nowMs: number): void {
    this.oweAll(ms, nowMs);
    const debt = new Bucket(this.#partOf(group), DEEP_SECONDS, nowMs);
    debt.empty(nowMs);
    const owedMs = this.#debts.get(group)?.debt(nowMs) ?? 0;
    debt.owe(Math.max(0, Math.min(ms, MOST_GROUP_DEBT_MS - owedMs)), nowMs);
    this.#keepDebt(group, debt, nowMs);
  }

  /**
   * Opens a peer's part, which counts only while all peers together exceed their limit. It begins empty and with the
   * unpaid debt of its group; otherwise reconnecting would pay more than staying.
   */
  #partFor(group: string, nowMs: number): Bucket {
    const part = new Bucket(this.#partOf(group), DEEP_SECONDS, nowMs);
    part.empty(nowMs);
    part.owe(this.#debts.get(group)?.debt(nowMs) ?? 0, nowMs);
    this.#debts.delete(group);
    return part;
  }

  #keepDebt(group: string, part: Bucket, nowMs: number): void {
    const before = this.#debts.get(group);
    if (before !== undefined) part.owe(before.debt(nowMs), nowMs);
    this.#debts.delete(group);
    if (part.debt(nowMs) === 0) return;
    this.#debts.set(group, part);
    if (this.#debts.size <= MOST_DEBTS) return;
    for (const [other, left] of this.#debts) if (left.debt(nowMs) === 0) this.#debts.delete(other);
    // Of those who still owe, the oldest owes least.
    const [oldest] = this.#debts.keys();
    if (this.#debts.size > MOST_DEBTS && oldest !== undefined) this.#debts.delete(oldest);
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

/** The account of one peer. */
export interface WorkAccount {
  /** Charges work; a negative one is given back. */
  owe(ms: number, nowMs: number): void;
  /** Milliseconds until there is credit for this much; 0 when there is. */
  waitMs(ms: number, nowMs: number): number;
  close(): void;
}

/** A peer that the operator has chosen may take half of the thread: even its mistakes must not stop this node. */
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
