import type { Clock } from '../base/clock.ts';

/** What one address has left. */
interface Allowance {
  calls: number;
  atMs: number;
}

/** Addresses that are remembered at once, about 100 bytes each; those that rested longest are forgotten first. */
const MOST_ADDRESSES = 65_536;

/** Lets each address make so many calls a second, and as many again at once after a second of rest. Each element of a batch is a call. */
export class CallRates {
  readonly #perSecond: number;
  readonly #clock: Clock;
  readonly #allowances = new Map<string, Allowance>();

  /** `perSecond` 0 lets everybody do what they want. */
  constructor(perSecond: number, clock: Clock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  get isOn(): boolean {
    return this.#perSecond > 0;
  }

  /** False when that is more than the address may do now; it is then not charged. */
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

/** A page of an application asks for a dozen things at once and then rests. */
const BURST_SECONDS = 2;
