import type { Clock } from '../../base/clock.ts';
import type { RequestSource } from './request_source.ts';
import type { Limits } from './limits.ts';
import { addressHolder } from './shared_sum.ts';

/** The tokens left to an address, one for each unit of weight. */
export interface TokenBucket {
  /** Below zero after a call that weighed more than was left. */
  tokens: number;
  atMs: number;
}

/** Addresses remembered at once, about 100 bytes each; the least recently active are forgotten first. */
const MOST_ADDRESSES = 65_536;
/** A page of an application sends a dozen requests at once and then rests. */
const BURST_SECONDS = 2;

/**
 * A token bucket for each address: limits what it asks for in a second, by the weight of its calls; after a rest, a
 * burst of two seconds' worth is allowed. A call is served as long as anything is left, whatever it weighs, and most of
 * its weight is taken off afterwards, when it is known.
 */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #countsLocal: boolean;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor({ callsPerSecond, countsLocalCalls }: Pick<Limits, 'callsPerSecond' | 'countsLocalCalls'>, clock: Clock) {
    this.#perSecond = callsPerSecond;
    this.#countsLocal = countsLocalCalls;
    this.#clock = clock;
  }

  /**
   * The bucket of an asker's address, filled up to this moment, which `takeCall` and `charge` draw on; undefined
   * without a limit.
   */
  findBucket(requestSource: Pick<RequestSource, 'address' | 'isLocal'>): TokenBucket | undefined {
    if (this.#perSecond === 0 || (!this.#countsLocal && requestSource.isLocal)) return undefined;
    const address = addressHolder(requestSource.address);
    const nowMs = this.#clock.nowMs();
    const bucket = this.#buckets.get(address) ?? { tokens: this.#perSecond * BURST_SECONDS, atMs: nowMs };
    const earned = (Math.max(0, nowMs - bucket.atMs) / 1000) * this.#perSecond;
    bucket.tokens = Math.min(this.#perSecond * BURST_SECONDS, bucket.tokens + earned);
    bucket.atMs = nowMs;
    this.#buckets.delete(address);
    this.#buckets.set(address, bucket);
    if (this.#buckets.size > MOST_ADDRESSES) this.#forgetOldest();
    return bucket;
  }

  #forgetOldest(): void {
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}

/** Takes one call; false when nothing is left. */
export function takeCall(bucket: TokenBucket | undefined): boolean {
  if (bucket === undefined) return true;
  if (bucket.tokens < 1) return false;
  bucket.tokens--;
  return true;
}
