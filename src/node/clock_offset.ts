import type { Clock } from '../base/clock.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Seconds } from '../values/time.ts';
import type { ChainFollower, ChainUpdate } from './feed/chain_feed.ts';

/** What the clock of this machine is compared with. */
export interface ClockOffsetOptions {
  readonly clock: Clock;
  readonly headTime: () => Seconds;
  /** Whose blocks are made by this clock and say nothing of others. */
  readonly ownWitnesses: ReadonlySet<AccountName>;
  readonly warn: (sentence: string) => void;
}

/** Blocks of others that are looked at together; all of them must say the same. */
const BLOCKS = 8;
/** They arrive as they are made, not while a node catches up, when these spans are alike. */
const SPANS_DIFFER_MS = 3000;
/** A block is on its way for less. */
const LATE_MS = 5000;
/** Clocks of honest machines differ by less. */
const EARLY_MS = 1000;
const LOOK_MS = 10_000;

/**
 * How far the clock of this machine is from the times of blocks: behind when the head is in its future, ahead when blocks of others come
 * one by one at their pace, and all of them late.
 */
export class ClockOffset implements ChainFollower {
  readonly #options: ClockOffsetOptions;
  readonly #arrivals: { readonly timeMs: number; readonly atMs: number }[] = [];
  #isTold = false;
  #cancel: () => void = () => {};

  constructor(options: ClockOffsetOptions) {
    this.#options = options;
    this.#lookAgain();
  }

  /** Seconds: above 0 the clock is ahead, below it is behind, 0 when it seems right. */
  get seconds(): number {
    const earlyMs = this.#options.headTime() * 1000 - this.#options.clock.nowMs();
    return Math.round((earlyMs > EARLY_MS ? -earlyMs : this.#lateMs()) / 1000);
  }

  takeUpdate({ applied }: ChainUpdate): void {
    const block = applied.at(-1);
    if (block === undefined || this.#options.ownWitnesses.has(block.witness)) return;
    this.#arrivals.push({ timeMs: block.time * 1000, atMs: this.#options.clock.nowMs() });
    if (this.#arrivals.length > BLOCKS) this.#arrivals.shift();
    this.#look();
  }

  takeGap(): void {
    this.#arrivals.length = 0;
  }

  stop(): void {
    this.#cancel();
  }

  #lateMs(): number {
    const [first] = this.#arrivals;
    const last = this.#arrivals.at(-1);
    if (first === undefined || last === undefined || this.#arrivals.length < BLOCKS) return 0;
    const isAtPace = Math.abs(last.atMs - first.atMs - (last.timeMs - first.timeMs)) < SPANS_DIFFER_MS;
    const lateMs = Math.min(...this.#arrivals.map(({ atMs, timeMs }) => atMs - timeMs));
    return isAtPace && lateMs > LATE_MS ? lateMs : 0;
  }

  #lookAgain(): void {
    this.#cancel = this.#options.clock.after(
      LOOK_MS,
      () => {
        this.#look();
        this.#lookAgain();
      },
      false,
    );
  }

  /** Once for each time that it goes wrong. */
  #look(): void {
    const { seconds } = this;
    if (seconds !== 0 && !this.#isTold)
      this.#options.warn(
        `the clock of this machine is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead of' : 'behind'} the times of blocks; set it right, best by NTP`,
      );
    this.#isTold = seconds !== 0;
  }
}
