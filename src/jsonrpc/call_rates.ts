import type { Clock } from '../base/clock.ts';

/** The remaining allowance of one address. */
interface Allowance {
  calls: number;
  atMs: number;
}

/** Addresses remembered at once, about 100 bytes each; the least recently active are forgotten first. */
const MOST_ADDRESSES = 65_536;

/** Limits the calls per second of each address; after a rest, a burst of two seconds' worth is allowed. Each batch element is a call. */
export class CallRates {
  readonly #perSecond: number;
  readonly #clock: Clock;
  readonly #allowances = new Map<string, Allowance>();

  /** `perSecond` 0 sets no limit. */
  constructor(perSecond: number, clock: Clock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  get isOn(): boolean {
    return this.#perSecond > 0;
  }

  /** False when that exceeds the current allowance of the address, which is then not charged. */
  take(address: string, calls: number): boolean {
    if (!this.isOn) return true;
    const nowMs = this.#clock.nowMs();
    const before = this.#allowances.get(address) ?? { calls: this.#perSecond * BURST_SECONDS, atMs: nowMs };
    const earned = (Math.max(0, nowMs - before.atMs) / 1000) * this.#perSecond;
    const left = Math.min(this.#perSecond * BURST_SECONDS, before.calls + earned);
    const isAllowed = calls <= left;
    this.#allowances.delete(address);
    this.#allowances.set(address, { calls: isAllowed ? left - calls : left, atMs: nowMs });
    if (this.#allowances.size > MOST_ADDRESSES) this.#forgetOldest();
    return isAllowed;
  }

  #forgetOldest(): void {
    const [oldest] = this.#allowances.keys();
    if (oldest !== undefined) this.#allowances.delete(oldest);
  }
}

/** A page of an application sends a dozen requests at once and then rests. */
const BURST_SECONDS = 2;
