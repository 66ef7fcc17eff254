import { refuse } from './refusal.ts';

// chain_rules.md#conventions, wire_format.md#assets: what amounts, prices and authorities are.

export interface Asset {
  readonly amount: bigint;
  readonly symbol: string;
}

export interface Price {
  readonly base: Asset;
  readonly quote: Asset;
}

export interface Authority {
  readonly threshold: number;
  readonly accounts: readonly (readonly [name: string, weight: number])[];
  readonly keys: readonly (readonly [key: string, weight: number])[];
}

export const COIN = 'COIN';
export const VESTS = 'VESTS';
export const FIAT = ['USD', 'EUR', 'CHF', 'CNY', 'GBP'] as const;
export type Fiat = (typeof FIAT)[number];

/** The time that never comes. */
export const NEVER = 0xffff_ffff;
export const NULL_KEY = '0'.repeat(66);
export const DAY = 86_400;
/** The length of a lap of the virtual schedule. */
export const LAP = 2n ** 128n - 1n;

export const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

export const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
export const u128 = (value: bigint): bigint => BigInt.asUintN(128, value);
export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Integers of amounts are checked (2.4). */
export function int64(value: bigint): bigint {
  if (value > INT64_MAX) refuse('integer overflow');
  if (value < INT64_MIN) refuse('integer underflow');
  return value;
}

export const isFiat = (symbol: string): symbol is Fiat => FIAT.some((fiat) => fiat === symbol);

/** One side COIN, the other a fiat currency, both amounts positive. */
export function fiatOfRate({ base, quote }: Price): Fiat | undefined {
  if (base.amount <= 0n || quote.amount <= 0n) return undefined;
  if (base.symbol === COIN && isFiat(quote.symbol)) return quote.symbol;
  return quote.symbol === COIN && isFiat(base.symbol) ? base.symbol : undefined;
}

/** The same price with COIN as its base. */
export const coinFirst = (price: Price): Price =>
  price.base.symbol === COIN ? price : { base: price.quote, quote: price.base };

/** asset × price, rounded down (2.3). */
export function convert(asset: Asset, price: Price): bigint {
  const [from, to] = asset.symbol === price.base.symbol ? [price.base, price.quote] : [price.quote, price.base];
  if (asset.symbol !== from.symbol || from.amount <= 0n) return refuse('invalid asset * price');
  return int64((asset.amount * to.amount) / from.amount);
}

export const NOBODY: Authority = { threshold: 1, accounts: [], keys: [] };
export const ofKey = (key: string): Authority => ({ threshold: 1, accounts: [], keys: [[key, 1]] });
export const ofAccount = (name: string): Authority => ({ threshold: 1, accounts: [[name, 1]], keys: [] });

export function isImpossible({ threshold, accounts, keys }: Authority): boolean {
  return [...accounts, ...keys].reduce((sum, [, weight]) => sum + weight, 0) < threshold;
}

export const sameAuthority = (a: Authority, b: Authority): boolean => JSON.stringify(a) === JSON.stringify(b);
