const HALF_LIFE_MS = 10 * 60 * 1000;
/** Here a link is closed. */
export const LOWEST_SCORE = -100;

/** Offences of peers, in points. Only lies and malformed messages ban at once: nobody sends those by accident. */
export const offences = {
  malformed: { points: -100, bans: true },
  lie: { points: -100, bans: true },
  /** A block of another branch that its witness can't have signed, as far as is known here. */
  doubtful_block: { points: -50, bans: false },
  body_unasked: { points: -20, bans: false },
  announced_in_vain: { points: -10, bans: false },
  forged_transaction: { points: -5, bans: false },
  wrong_hint: { points: -5, bans: false },
  timeout: { points: -2, bans: false },
} as const;

export type Offence = keyof typeof offences;

/** Points of one bundle at most. */
export const MOST_FORGED_COUNTED = 10;
/** Timeouts count once in so long: when a link hangs, all that was asked over it is late. */
const TIMEOUT_COUNTS_EACH_MS = 10_000;
/** Points that first deliveries of blocks may earn at most, or good deeds would buy a lie. */
const MOST_EARNED = 20;

/** The behaviour of a peer in points; half of them are forgotten each ten minutes. */
export class Score {
  #points = 0;
  #atMs: number;
  #lastTimeoutMs = -TIMEOUT_COUNTS_EACH_MS;

  constructor(nowMs: number) {
    this.#atMs = nowMs;
  }

  at(nowMs: number): number {
    this.#fade(nowMs);
    return this.#points;
  }

  offend(offence: Offence, nowMs: number, times = 1): void {
    this.#fade(nowMs);
    if (offence === 'timeout') {
      if (nowMs - this.#lastTimeoutMs < TIMEOUT_COUNTS_EACH_MS) return;
      this.#lastTimeoutMs = nowMs;
    }
    this.#points += offences[offence].points * times;
  }

  /** It was the first to deliver a block. */
  earn(nowMs: number): void {
    this.#fade(nowMs);
    this.#points = Math.max(this.#points, Math.min(this.#points + 1, MOST_EARNED));
  }

  #fade(nowMs: number): void {
    this.#points *= 0.5 ** (Math.max(0, nowMs - this.#atMs) / HALF_LIFE_MS);
    this.#atMs = nowMs;
  }
}
