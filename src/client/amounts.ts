import { refusals } from '../base/refusal.ts';
import { millionthsText, parseMillionths } from './decimals.ts';

/** The chain counts in signed 64-bit integers. */
const LARGEST = 2n ** 63n - 1n;

const SYMBOL = /^[A-Z]{3,6}$/;

const refuse = refusals({
  not_an_amount: '{given}: a decimal number with at most six decimals expected, in a text such as "{example}"',
  amount_out_of_range: 'an amount is between 0 and {most}, got {given}',
  amounts_differ: 'amounts of two symbols have no sum, difference or order: {left} and {right}',
  not_a_price: 'a price has two amounts above zero in two symbols, got {base} for {quote}',
  price_of_others: 'a price of {base} for {quote} does not convert {amount}',
  not_a_ratio: 'an amount is multiplied by an integer or by two of them, {given} is none above zero',
});

/** An amount in parts: millionths of one unit, and the symbol of that unit. */
export interface Amount {
  readonly millionths: bigint;
  readonly symbol: string;
}

/** So much of `base` is worth so much of `quote`: the form of prices in operations and results. */
export interface Price {
  readonly base: string;
  readonly quote: string;
}

/**
 * An amount of coins as operations take it and nodes show it, such as `1.500000 COIN`. Takes a decimal text, or
 * millionths as bigint; never a number, which is not exact. `symbol` is that of the chain (`client.symbols.coinSymbol`).
 */
export function coin(value: string | bigint, symbol = 'COIN'): string {
  return formatAmount({ millionths: typeof value === 'bigint' ? value : parseCoin(value), symbol });
}

/** The same of vesting shares. */
export function vests(value: string | bigint, symbol = 'VESTS'): string {
  return coin(value, symbol);
}

/** The millionths in a decimal number such as `1.5`. Refuses another text, and what the chain cannot count. */
export function parseCoin(decimal: string): bigint {
  const millionths = parseMillionths(requireText(decimal));
  return millionths === undefined
    ? refuse.not_an_amount({ given: shown(decimal), example: '1.5' })
    : inRange(millionths);
}

/** The shortest decimal number of so many millionths: 1500000n is `1.5`. */
export function formatCoin(millionths: bigint): string {
  return millionthsText(inRange(millionths)).replace(/\.?0+$/, '');
}

/** The parts of an amount such as `1.500000 COIN`. */
export function parseAmount(amount: string): Amount {
  const [number = '', symbol = '', ...more] = requireText(amount).split(' ');
  const millionths = parseMillionths(number);
  if (more.length > 0 || millionths === undefined || !SYMBOL.test(symbol))
    return refuse.not_an_amount({ given: shown(amount), example: '1.5 COIN' });
  return { millionths: inRange(millionths), symbol };
}

/** An amount from its parts, with all six decimals. */
export function formatAmount({ millionths, symbol }: Amount): string {
  if (!SYMBOL.test(symbol)) return refuse.not_an_amount({ given: shown(symbol), example: '1.5 COIN' });
  return `${millionthsText(inRange(millionths))} ${symbol}`;
}

/** The same of a difference, which may be below zero. */
export function formatDifference({ millionths, symbol }: Amount): string {
  return millionths < 0n
    ? `-${formatAmount({ millionths: -millionths, symbol })}`
    : formatAmount({ millionths, symbol });
}

/** The sum of amounts of one symbol. */
export function addAmounts(first: string, ...more: readonly string[]): string {
  const { millionths, symbol } = parseAmount(first);
  return formatAmount({ millionths: more.reduce((sum, next) => sum + pair(first, next)[1], millionths), symbol });
}

/** The difference of two amounts of one symbol. Refused where it is below zero. */
export function subtractAmounts(amount: string, less: string): string {
  const [left, right] = pair(amount, less);
  return formatAmount({ ...parseAmount(amount), millionths: left - right });
}

/** An amount times `numerator / denominator`, rounded down, as the chain rounds. */
export function multiplyAmount(amount: string, numerator: bigint, denominator = 1n): string {
  if (numerator < 0n || denominator <= 0n) return refuse.not_a_ratio({ given: `${numerator} / ${denominator}` });
  const { millionths, symbol } = parseAmount(amount);
  return formatAmount({ millionths: (millionths * numerator) / denominator, symbol });
}

/** Below, at or above 0, as the first is less than, the same as or more than the second: an order for `sort`. */
export function compareAmounts(first: string, second: string): number {
  const [left, right] = pair(first, second);
  return order(left, right);
}

/** Converts an amount to the other symbol of a price, rounded down, as the chain rounds. */
export function convertAmount(amount: string, price: Price): string {
  const [base, quote] = sides(price);
  const { millionths, symbol } = parseAmount(amount);
  if (symbol !== base.symbol && symbol !== quote.symbol) return refuse.price_of_others({ ...price, amount });
  const [from, to] = symbol === base.symbol ? [base, quote] : [quote, base];
  return formatAmount({ millionths: (millionths * to.millionths) / from.millionths, symbol: to.symbol });
}

/** Orders two prices of the same two symbols by the worth of one unit of the first price's base. */
export function comparePrices(first: Price, second: Price): number {
  const [base, quote] = sides(first);
  const [left, right] = sides(second);
  const [otherBase, otherQuote] = left.symbol === base.symbol ? [left, right] : [right, left];
  if (otherBase.symbol !== base.symbol || otherQuote.symbol !== quote.symbol)
    return refuse.amounts_differ({ left: shownPrice(first), right: shownPrice(second) });
  return order(quote.millionths * otherBase.millionths, otherQuote.millionths * base.millionths);
}

function sides(price: Price): readonly [Amount, Amount] {
  const [base, quote] = [parseAmount(price.base), parseAmount(price.quote)];
  if (base.millionths === 0n || quote.millionths === 0n || base.symbol === quote.symbol)
    return refuse.not_a_price({ base: price.base, quote: price.quote });
  return [base, quote];
}

function shownPrice({ base, quote }: Price): string {
  return `${base} for ${quote}`;
}

/** The millionths of two amounts of one symbol. */
function pair(first: string, second: string): readonly [bigint, bigint] {
  const [left, right] = [parseAmount(first), parseAmount(second)];
  if (left.symbol !== right.symbol) return refuse.amounts_differ({ left: first, right: second });
  return [left.millionths, right.millionths];
}

function order(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function inRange(millionths: bigint): bigint {
  if (millionths >= 0n && millionths <= LARGEST) return millionths;
  return refuse.amount_out_of_range({ most: millionthsText(LARGEST), given: signed(millionths) });
}

function signed(millionths: bigint): string {
  return millionths < 0n ? `-${millionthsText(-millionths)}` : millionthsText(millionths);
}

/** Programs without types hand over numbers, which a pattern would take for their texts. */
function requireText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Enough to recognise it. */
const SHOWN = 60;

function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : `${typeof value} ${String(value)}`;
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
