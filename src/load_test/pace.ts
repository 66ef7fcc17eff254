import type { Clock } from '../base/clock.ts';

/** The rate of posts, and their duration. */
export interface PaceSettings {
  /** Calls a second (open loop); undefined sends whenever a lane is free (closed loop). */
  readonly perSecond: number | undefined;
  /** Later posts are not sent; undefined goes on until there are no more posts. */
  readonly durationMs: number | undefined;
  /** Posts under way at once. */
  readonly lanes: number;
}

/** A post, which holds one or several calls. */
export interface Paced {
  readonly count: number;
}

/** When things happened to a post, on the clock's monotonic scale. */
export interface Moments {
  /**
   * When it should have been sent. Latency counts from here, so a node that stalls cannot hide the posts that it held
   * up.
   */
  readonly dueMs: number;
  readonly sentMs: number;
  readonly answeredMs: number;
}

/** The source of posts, and the receiver of their answers. */
export interface PacedWork<Post extends Paced, Answer> {
  /** The next post; undefined when it isn't ready yet, or when there are no more. */
  take(): Post | undefined;
  /** True when there are no more posts, now and later. */
  isOver(): boolean;
  /** Never rejects. */
  send(post: Post, dueMs: number): Promise<Answer>;
  answered(post: Post, moments: Moments, answer: Answer): void;
  /** A post that was due but found no free lane until the end; `dueMs` as above. */
  unsent(post: Post, dueMs: number, endMs: number): void;
}

/** The outcome of a run of a pace. */
export interface PaceOutcome {
  readonly startedMs: number;
  /** When the last answer had come. */
  readonly endedMs: number;
  /**
   * The time during which posts were due, and could have been sent, but were not ready: the sender was its own limit.
   */
  readonly starvedMs: number;
}

/** Posts that were due before the end are sent for this long after it. */
const GRACE_MS = 10_000;
/** Between looks at whether a post is ready. */
const RETRY_MS = 1;

/** Sends posts at their due moments, whatever has become of earlier ones. */
export class Pace<Post extends Paced, Answer> {
  readonly #clock: Clock;
  readonly #settings: PaceSettings;
  readonly #work: PacedWork<Post, Answer>;
  #startedMs = 0;
  #callsDue = 0;
  #underWay = 0;
  #starvedMs = 0;
  #starvedSinceMs: number | undefined;
  #cancelTimer: (() => void) | undefined;
  #finish: (() => void) | undefined;
  #fail: ((error: unknown) => void) | undefined;
  #isStopped = false;
  #hasEnded = false;

  constructor(clock: Clock, settings: PaceSettings, work: PacedWork<Post, Answer>) {
    this.#clock = clock;
    this.#settings = settings;
    this.#work = work;
  }

  /** Resolves when everything that was due is answered; rejects with what the work throws. */
  async run(): Promise<PaceOutcome> {
    this.#startedMs = this.#clock.elapsedMs();
    await new Promise<void>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
      this.#send();
    });
    return { startedMs: this.#startedMs, endedMs: this.#clock.elapsedMs(), starvedMs: this.#starvedMs };
  }

  /** Nothing more is sent; what is under way is still waited for. */
  stop(): void {
    this.#isStopped = true;
    this.#send();
  }

  /** Sends what is due, as far as lanes are free, and comes back for the rest. */
  #send(): void {
    if (this.#hasEnded) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#underWay < this.#settings.lanes) {
      const nowMs = this.#clock.elapsedMs();
      const dueMs = this.#nextDueMs(nowMs);
      if (this.#isOver(dueMs, nowMs)) {
        if (this.#underWay === 0) this.#end(nowMs);
        return;
      }
      if (dueMs > nowMs) return this.#scheduleSend(dueMs - nowMs);
      const post = this.#work.take();
      this.#noteStarving(post === undefined, nowMs);
      if (post === undefined) return this.#scheduleSend(RETRY_MS);
      this.#callsDue += post.count;
      this.#sendOne(post, dueMs, nowMs).catch((error: unknown) => this.#fail?.(error));
    }
  }

  async #sendOne(post: Post, dueMs: number, sentMs: number): Promise<void> {
    this.#underWay++;
    const answer = await this.#work.send(post, dueMs);
    this.#underWay--;
    this.#work.answered(post, { dueMs, sentMs, answeredMs: this.#clock.elapsedMs() }, answer);
    this.#send();
  }

  #nextDueMs(nowMs: number): number {
    const { perSecond } = this.#settings;
    return perSecond === undefined ? nowMs : this.#startedMs + (this.#callsDue * 1000) / perSecond;
  }

  #isOver(dueMs: number, nowMs: number): boolean {
    const { durationMs = Infinity } = this.#settings;
    const endMs = this.#startedMs + durationMs;
    return this.#isStopped || this.#work.isOver() || dueMs >= endMs || nowMs >= endMs + GRACE_MS;
  }

  /** Posts that were never sent have a latency, too: at least the time until now. */
  #end(nowMs: number): void {
    this.#hasEnded = true;
    if (this.#settings.perSecond !== undefined && !this.#isStopped) this.#giveUp(nowMs);
    this.#finish?.();
  }

  #giveUp(nowMs: number): void {
    const { durationMs = 0 } = this.#settings;
    while (this.#nextDueMs(nowMs) < this.#startedMs + durationMs && !this.#work.isOver()) {
      const dueMs = this.#nextDueMs(nowMs);
      const post = this.#work.take();
      if (post === undefined) return;
      this.#callsDue += post.count;
      this.#work.unsent(post, dueMs, nowMs);
    }
  }

  #noteStarving(isStarving: boolean, nowMs: number): void {
    if (isStarving) this.#starvedSinceMs ??= nowMs;
    else if (this.#starvedSinceMs !== undefined) {
      this.#starvedMs += nowMs - this.#starvedSinceMs;
      this.#starvedSinceMs = undefined;
    }
  }

  #scheduleSend(delayMs: number): void {
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#send());
  }
}
