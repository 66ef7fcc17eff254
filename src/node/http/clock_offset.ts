import type { WriteLine } from '../../base/log_events/index.ts';
import type { Clock } from '../../base/clock.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { Seconds } from '../../values/time.ts';
import type { ChainFollower, ChainUpdate } from '../../feed/chain_feed.ts';

/** The clock and the block interval of a `ClockOffset`. */
export interface ClockOffsetOptions {
  readonly clock: Clock;
  readonly headTime: () => Seconds;
  /** Witnesses of this node: their blocks are made with this machine's clock, so they say nothing about others. */
  readonly ownWitnesses: ReadonlySet<AccountName>;
  readonly warn: WriteLine<'warning'>;
}

/** Blocks of other nodes that are compared together; all of them must agree. */
const BLOCKS = 8;
/**
 * Blocks arrive live, not while catching up, when arrival and block times span periods that differ by less than this.
 */
const SPANS_DIFFER_MS = 3000;
/** Blocks take less than this to arrive. */
const LATE_MS = 5000;
/** The clocks of honest machines differ by less than this. */
const EARLY_MS = 1000;
const LOOK_MS = 10_000;

/**
 * Measures this machine's clock by the times of blocks. It is behind when the head is in its future. It is ahead when
 * blocks of other nodes arrive one by one at their normal pace, but all of them late.
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

  /** In seconds: positive when the clock is ahead, negative when it is behind, 0 when it seems right. */
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

  /** Warns once each time the clock goes wrong. */
  #look(): void {
    const { seconds } = this;
    if (seconds !== 0 && !this.#isTold)
      this.#options.warn(
        `the clock of this machine is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead of' : 'behind'} the times of blocks; set it right, best by NTP`,
        'machine_clock_off',
        { ahead_seconds: seconds },
      );
    this.#isTold = seconds !== 0;
  }
}
