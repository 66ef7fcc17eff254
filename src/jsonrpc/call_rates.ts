import type { Clock } from '../base/clock.ts';
import type { Asker } from './asker.ts';
import type { Limits } from './limits.ts';

/** What an address may still ask for. */
export interface Allowance {
  /** The weight of calls; below zero after a call that weighed more than was left. */
  left: number;
  atMs: number;
}

/** Addresses remembered at once, about 100 bytes each; the least recently active are forgotten first. */
const MOST_ADDRESSES = 65_536;
/** A page of an application sends a dozen requests at once and then rests. */
const BURST_SECONDS = 2;

/**
 * Limits what each address asks for in a second, by the weight of its calls; after a rest, a burst of two seconds' worth is allowed. A call
 * is served as long as anything is left, whatever it weighs, and paid for by what comes later: most of its weight is known only then.
 */
export class CallRates {
  readonly #perSecond: number;
  readonly #countsLocal: boolean;
  readonly #clock: Clock;
  readonly #allowances = new Map<string, Allowance>();

  constructor({ callsPerSecond, countsLocalCalls }: Pick<Limits, 'callsPerSecond' | 'countsLocalCalls'>, clock: Clock) {
    this.#perSecond = callsPerSecond;
    this.#countsLocal = countsLocalCalls;
    this.#clock = clock;
  }

  /** The allowance of an asker's address at this moment, which `take` and `charge` draw on; undefined without a limit. */
  of(asker: Pick<Asker, 'address' | 'isLocal'>): Allowance | undefined {
    if (this.#perSecond === 0 || (!this.#countsLocal && asker.isLocal)) return undefined;
    const { address } = asker;
    const nowMs = this.#clock.nowMs();
    const allowance = this.#allowances.get(address) ?? { left: this.#perSecond * BURST_SECONDS, atMs: nowMs };
    const earned = (Math.max(0, nowMs - allowance.atMs) / 1000) * this.#perSecond;
    allowance.left = Math.min(this.#perSecond * BURST_SECONDS, allowance.left + earned);
    allowance.atMs = nowMs;
    this.#allowances.delete(address);
    this.#allowances.set(address, allowance);
    if (this.#allowances.size > MOST_ADDRESSES) this.#forgetOldest();
    return allowance;
  }

  #forgetOldest(): void {
    const [oldest] = this.#allowances.keys();
    if (oldest !== undefined) this.#allowances.delete(oldest);
  }
}

/** Takes one call; false when nothing is left. */
export function takeCall(allowance: Allowance | undefined): boolean {
  if (allowance === undefined) return true;
  if (allowance.left < 1) return false;
  allowance.left--;
  return true;
}
