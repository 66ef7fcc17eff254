import { assert } from '../base/assert.ts';
import { refusals } from '../base/refusal.ts';
import type { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { copyInAnyOrder, type CopiedMember } from '../codec/any_order.ts';
import { copying, type Codec, type JsonSchema } from '../codec/codec.ts';
import type { Json } from '../codec/json.ts';
import { DecodeError, inMember, mismatch, shownJson } from '../codec/decode_error.ts';
import { plainText, writing } from '../codec/json_text.ts';
import { speaksLineage, type EncodingOptions } from '../codec/encoding_options.ts';
import type { PlainJson } from '../codec/plain_json.ts';
import { INT64_MAX, INT64_MIN } from './limits.ts';

/** At most 8 one-byte characters; amounts of every symbol are in millionths. */
export type AssetSymbol = string;

/** `amount` is in millionths of a unit and fits a signed 64-bit integer. */
export interface Asset {
  readonly amount: bigint;
  readonly symbol: AssetSymbol;
}

export const DECIMALS = 6;
export const SATOSHIS = 10n ** BigInt(DECIMALS);
const LARGEST_TEXT_AMOUNT = 10n ** 15n; // MAX_SHARE_SUPPLY: the largest amount in an asset text
const SYMBOL_BYTES = 8;
const ZERO_TEXT = `0.${'0'.repeat(DECIMALS)}`; // what most members of most accounts say
const LARGEST_EXPONENT = 40; // beyond this every amount but zero is out of range
const SYMBOL = /^[\x20-\x7e]{3,6}$/;
const ASCII = /^[\x20-\x7e]*$/;
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;

// The numeric asset identifiers that the lineage's documents use for the liquid coin and for vesting shares.
const COIN_NAI = '@@000000021';
const VESTS_NAI = '@@000000037';

/** Leading zeros and blanks included. */
const LONGEST_ASSET = 256;

const NUMBER_TEXT = '[+-]?(?:[0-9]+(?:[.][0-9]{0,6})?|[.][0-9]{1,6})(?:[eE][+-]?[0-9]{1,6})?';

/**
 * Describes the forms of an asset: a text, or an object with a symbol or with its identifier. How large the amount is
 * no schema says.
 */
function givenForms(
  symbol: JsonSchema,
  inText: string,
  identifiers: readonly string[],
): readonly [JsonSchema, ...JsonSchema[]] {
  const text = {
    type: 'string',
    pattern: `^\\s*${NUMBER_TEXT} ${inText}\\s*$`,
    maxLength: LONGEST_ASSET,
    description: 'amount of at most 1000000000 with at most six decimals, a blank, a symbol',
  };
  const amount = {
    anyOf: [
      { type: 'number', minimum: 0, maximum: 1e9 },
      { type: 'string', pattern: `^${NUMBER_TEXT}$`, maxLength: LONGEST_ASSET },
    ],
  };
  const millionths = {
    anyOf: [
      { type: 'integer', minimum: 0, maximum: 1e15 },
      { type: 'string', pattern: '^(?:0?[0-9]{1,15}|10{15})$' },
    ],
  };
  const nai = { anyOf: [{ enum: identifiers }, symbol] };
  return [
    text,
    describeMembers({ amount, symbol }),
    describeMembers({ amount: millionths, precision: { const: DECIMALS }, nai }),
  ];
}

function describeMembers(properties: JsonSchema): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Of any symbol, which has three to six bytes in a text. */
const GIVEN_FORMS = givenForms({ type: 'string', pattern: SYMBOL.source }, '[\\s\\S]{1,6}', [COIN_NAI, VESTS_NAI]);

/**
 * An amount of at most this many characters, dot included, is below 10¹⁵: always within the limit of a text and exact
 * as a number.
 */
const MOST_PLAIN_DIGITS = 16;
/** Maps capital letters to themselves, all other bytes to -1. */
const CAPITALS = Int16Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte : -1));

const refuse = refusals({
  integer_overflow: {
    text: 'an amount would become {value}, above {most}, the most that the chain can count',
    lineage: 'Integer Overflow',
    lineageCode: 19,
  },
  integer_underflow: {
    text: 'an amount would become {value}, below {least}, the least that the chain can count',
    lineage: 'Integer Underflow',
    lineageCode: 20,
  },
  asset_symbols_differ: 'amounts of different symbols cannot be added: {left} and {right}',
});

const { integer_overflow } = refuse.texts;
/** The refusals of an amount above 0 that is computed. */
export const overflowRefusals = { integer_overflow };

/** The same amount if it fits a signed 64-bit integer; refused otherwise, as by the lineage's checked integers. */
export function checkedInt64(value: bigint): bigint {
  if (value > INT64_MAX) refuse.integer_overflow({ value, most: INT64_MAX });
  if (value < INT64_MIN) refuse.integer_underflow({ value, least: INT64_MIN });
  return value;
}

/** The smaller of two amounts. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The sum of two assets of the same symbol. */
export function addAssets(a: Asset, b: Asset): Asset {
  if (a.symbol !== b.symbol) refuse.asset_symbols_differ({ left: shownAsset(a), right: shownAsset(b) });
  return { amount: checkedInt64(a.amount + b.amount), symbol: a.symbol };
}

/** `12.345678 SYMBOL`. Negative amounts print as the lineage prints them: as unsigned 64-bit integers. */
export function assetText({ amount, symbol }: Asset): string {
  return `${amountText(amount)} ${symbol}`;
}

/** Symbols that need no escapes: all but what recorded blocks hold by mistake. */
const PLAIN_SYMBOL = /^[A-Z]*$/;

function assetJson(value: Asset): string {
  return PLAIN_SYMBOL.test(value.symbol) ? plainText(assetText(value)) : JSON.stringify(assetText(value));
}

/** The same for display: a negative amount keeps its sign. */
export function shownAsset({ amount, symbol }: Asset): string {
  return amount < 0n ? `-${assetText({ amount: -amount, symbol })}` : assetText({ amount, symbol });
}

function amountText(amount: bigint): string {
  if (amount === 0n) return ZERO_TEXT;
  const digits = BigInt.asUintN(64, amount)
    .toString()
    .padStart(DECIMALS + 1, '0');
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/**
 * Parses a text such as `1.5 COIN`, or returns undefined; wire_format.md#amounts-as-text, but exact instead of through
 * a double.
 */
export function parseAsset(text: string): Asset | undefined {
  const trimmed = text.trim();
  const space = trimmed.indexOf(' ');
  if (space < 0) return undefined;
  const symbol = trimmed.slice(space + 1);
  const symbolLength = Buffer.byteLength(symbol);
  const dot = trimmed.indexOf('.');
  if (symbolLength < 3 || symbolLength > 6 || dot > space || (dot >= 0 && space - dot - 1 > DECIMALS)) return undefined;
  const amount = parseMillionths(trimmed.slice(0, space));
  return amount === undefined ? undefined : { amount, symbol: Buffer.from(symbol).toString('latin1') };
}

/** A decimal number in millionths, rounded half up; undefined outside 0..10¹⁵. */
function parseMillionths(text: string): bigint | undefined {
  const match = NUMBER.exec(text);
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match ?? [];
  if (match === null || whole.length + fraction.length === 0) return undefined;
  const digits = BigInt(whole + fraction);
  const exponent = Number(exponentText) + DECIMALS - fraction.length;
  if (digits !== 0n && (exponent > LARGEST_EXPONENT || (sign === '-' && exponent > -LARGEST_EXPONENT)))
    return undefined;
  const amount = digits === 0n ? 0n : scale(digits, exponent);
  return amount > LARGEST_TEXT_AMOUNT || (sign === '-' && amount !== 0n) ? undefined : amount;
}

function scale(digits: bigint, exponent: number): bigint {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  if (-exponent > LARGEST_EXPONENT) return 0n;
  const divisor = 10n ** BigInt(-exponent);
  return (digits + divisor / 2n) / divisor;
}

/** Compares symbols as numbers: the last character is the most significant, so shorter symbols come first. */
export function compareSymbols(a: AssetSymbol, b: AssetSymbol): number {
  for (let index = SYMBOL_BYTES - 1; index >= 0; index--) {
    const difference = (a.charCodeAt(index) || 0) - (b.charCodeAt(index) || 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function writeSymbol(out: ByteWriter, symbol: AssetSymbol): void {
  assert(symbol.length <= SYMBOL_BYTES, 'a symbol has at most 8 bytes');
  out.latin1(symbol);
  for (let index = symbol.length; index < SYMBOL_BYTES; index++) out.u8(0);
}

function readSymbol(input: ByteReader): AssetSymbol {
  const padded = input.latin1(SYMBOL_BYTES);
  let end = SYMBOL_BYTES;
  while (end > 0 && padded.charCodeAt(end - 1) === 0) end--;
  return padded.slice(0, end);
}

/** Eight bytes, zero-padded; in JSON a string. */
export const assetSymbol: Codec<AssetSymbol, string> = {
  write: writeSymbol,
  read: readSymbol,
  toJson: (symbol) => symbol,
  fromJson(json) {
    if (typeof json !== 'string' || !SYMBOL.test(json)) return mismatch('a symbol of 3 to 6 characters', json);
    return json;
  },
  initial: (encoding) => encoding.coinSymbol,
  describe: ({ describesGiven = false }) =>
    describesGiven ? { type: 'string', pattern: SYMBOL.source } : { type: 'string', minLength: 3, maxLength: 6 },
};

/** One of these symbols; whoever takes it refuses others by a name of its own. */
export function symbolCodec(
  symbolsOf: (encoding: EncodingOptions) => readonly AssetSymbol[],
): Codec<AssetSymbol, string> {
  return { ...assetSymbol, describe: (encoding) => ({ type: 'string', enum: symbolsOf(encoding) }) };
}

/** Amount and symbol, 16 bytes; in JSON a string. The two object forms of the interface are accepted as well. */
export const asset: Codec<Asset, string> = {
  write(out, value) {
    out.i64(value.amount);
    writeSymbol(out, value.symbol);
  },
  read: (input) => ({ amount: input.i64(), symbol: readSymbol(input) }),
  toJson: writing(assetText, assetJson),
  fromJson: copying((json, encoding) => assetFromJson(json, encoding), copyAsset),
  initial: (encoding) => ({ amount: 0n, symbol: encoding.coinSymbol }),
  describe: (encoding) => describeAsset(encoding, encoding.coinSymbol),
};

function describeAsset(encoding: EncodingOptions, symbol: AssetSymbol): JsonSchema {
  const examples = [`1.000000 ${symbol}`];
  if (encoding.describesGiven === true)
    return encoding.dialect === 'legacy' ? GIVEN_FORMS[0] : { anyOf: GIVEN_FORMS, examples };
  return { type: 'string', examples, description: 'amount with at most six decimals, a blank, a symbol' };
}

/** The same where this symbol is expected: refusals show an example amount in it. */
function assetSuchAs(symbolOf: (encoding: EncodingOptions) => AssetSymbol): Codec<Asset, string> {
  return {
    ...asset,
    fromJson: copying((json, encoding) => assetFromJson(json, encoding, symbolOf(encoding)), copyAsset),
    describe: (encoding) => describeAsset(encoding, symbolOf(encoding)),
  };
}

/** An amount in one of these symbols; whoever takes it refuses others. */
export function assetCodec(symbolsOf: (encoding: EncodingOptions) => readonly AssetSymbol[]): Codec<Asset, string> {
  return {
    ...asset,
    describe(encoding) {
      if (encoding.describesGiven !== true || speaksLineage(encoding)) return asset.describe(encoding);
      const symbols = symbolsOf(encoding);
      const identifiers = symbols.includes(encoding.coinSymbol) ? [COIN_NAI] : [];
      return {
        anyOf: givenForms({ enum: symbols }, `(?:${symbols.join('|')})`, identifiers),
        examples: [`1.000000 ${symbols[0] ?? ''}`],
      };
    },
  };
}

/** For amounts of vesting shares. */
export const sharesAsset = assetSuchAs(({ vestsSymbol }) => vestsSymbol);

/** For amounts of fiat currency. */
export const fiatAsset = assetSuchAs(() => 'USD');

/** An asset that defaults to zero vesting shares. */
export const vestsAsset: Codec<Asset, string> = {
  ...sharesAsset,
  initial: (encoding) => ({ amount: 0n, symbol: encoding.vestsSymbol }),
};

/** An asset that the default dialect writes as `{amount, symbol}`. */
export const assetObject: Codec<Asset, string> = {
  ...asset,
  toJson: (value, encoding) =>
    encoding.dialect === 'legacy' ? assetText(value) : { amount: amountText(value.amount), symbol: value.symbol },
  describe: (encoding) => describeObject(encoding, { amount: { type: 'string' }, symbol: { type: 'string' } }),
};

/** An asset that the default dialect writes as `{amount, precision, nai}`, the amount in millionths. */
export const assetNai: Codec<Asset, string> = {
  ...asset,
  toJson: (value, encoding) =>
    encoding.dialect === 'legacy'
      ? assetText(value)
      : { amount: value.amount.toString(), precision: DECIMALS, nai: symbolNai(value.symbol, encoding) },
  describe: (encoding) =>
    describeObject(encoding, { amount: { type: 'string' }, precision: { const: DECIMALS }, nai: { type: 'string' } }),
};

/** An asset as an object or, in the legacy dialect, as a string. */
function describeObject(encoding: EncodingOptions, properties: JsonSchema): JsonSchema {
  const text = asset.describe(encoding);
  if (encoding.describesGiven === true) return text;
  return encoding.dialect === 'legacy' ? text : { anyOf: [describeMembers(properties), text] };
}

function symbolNai(symbol: AssetSymbol, encoding: EncodingOptions): string {
  if (symbol === encoding.coinSymbol) return COIN_NAI;
  return symbol === encoding.vestsSymbol ? VESTS_NAI : symbol;
}

function symbolOfNai(nai: Json | undefined, encoding: EncodingOptions): AssetSymbol {
  if (nai === COIN_NAI) return encoding.coinSymbol;
  if (nai === VESTS_NAI) return encoding.vestsSymbol;
  // A symbol without a numeric identifier is used as it is.
  if (typeof nai === 'string' && SYMBOL.test(nai)) return nai;
  return mismatch(`a known asset identifier (${COIN_NAI} or ${VESTS_NAI})`, nai);
}

const ZERO = /^0+(?:\.0*)?(?: |$)/;

function refuseCurrency(amount: Json): never {
  throw new DecodeError(`this chain has no such currency, so the amount can only be 0, got ${shownJson(amount)}`);
}

/** An amount of a currency that this chain doesn't have, in any form: must be 0, unless read as the lineage does. */
export const nothingOfAsset: Codec<undefined> = {
  write: () => undefined,
  read: () => undefined,
  toJson: () => null,
  fromJson(json, { readsLineage = false }) {
    const amount = typeof json === 'object' && json !== null && !Array.isArray(json) ? (json['amount'] ?? null) : json;
    const isZero = amount === 0 || (typeof amount === 'string' && amount.length <= LONGEST_ASSET && ZERO.test(amount));
    return isZero || readsLineage ? undefined : refuseCurrency(amount);
  },
  initial: () => undefined,
  describe: ({ readsLineage = false }) =>
    readsLineage ? {} : { anyOf: [...NOTHING, { type: 'object', ...NOTHING_IN_AMOUNT }] },
};

const NOTHING: readonly JsonSchema[] = [
  { const: 0 },
  { type: 'string', pattern: ZERO.source, maxLength: LONGEST_ASSET },
];
const NOTHING_IN_AMOUNT: JsonSchema = { properties: { amount: { anyOf: NOTHING } }, required: ['amount'] };

function assetFromJson(json: Json, encoding: EncodingOptions, symbol = encoding.coinSymbol): Asset {
  const value =
    (encoding.readsAnswers === true && typeof json === 'string' ? parseAnsweredAsset(json) : undefined) ??
    readAsset(json, encoding);
  // The lineage takes any bytes as a symbol; a character of several would come back as several.
  const isKept = value !== undefined && (encoding.readsLineage === true || ASCII.test(value.symbol));
  return isKept ? value : mismatch(expectedAsset(json, symbol), json);
}

/** Digits as `assetText` writes them, with any symbol. */
const ANSWERED = /^(\d+)\.(\d{6}) ([^]*)$/;

/** Parses what `assetText` has written, negative amounts included; undefined for anything else. */
export function parseAnsweredAsset(text: string): Asset | undefined {
  const [, whole, fraction, symbol] = ANSWERED.exec(text) ?? [];
  return symbol === undefined ? undefined : { amount: BigInt.asIntN(64, BigInt(`${whole}${fraction}`)), symbol };
}

/** Common mistakes, and what was expected instead. */
const mistakes: readonly (readonly [RegExp, string])[] = [
  [/^-/, 'an amount of 0 or more'],
  [/^[\d.]*,/, 'an amount with a point, without commas,'],
  [/^[\d.]+$/, 'a symbol behind the amount,'],
  [/^[\d.]+[A-Za-z]+$/, 'a blank between amount and symbol,'],
  [/^\d*\.\d{7,} /, 'an amount of at most six decimals'],
  [/^[\d.]+ (?:.{1,2}|.{7,})$/, 'a symbol of three to six characters'],
  [/^[\d.]+ .+$/, 'an amount of at most 1000000000'],
];

/** Returns the expected form in place of JSON that is not an asset. */
function expectedAsset(json: Json, symbol: AssetSymbol): string {
  const text = typeof json === 'string' ? json.trim() : '';
  const [, expected] = mistakes.find(([pattern]) => pattern.test(text)) ?? [];
  return `${expected ?? 'an amount and a symbol'} such as "1.000000 ${symbol}"`;
}

/** Copies `12.345678 SYMBOL` with all six decimals and a symbol of capital letters, or its parts in an object. */
function copyAsset(from: PlainJson, out: ByteWriter, encoding: EncodingOptions): boolean {
  if (!from.text()) return encoding.dialect !== 'legacy' && copyAssetObject(from, out, encoding);
  const { bytes, textStart, textEnd } = from;
  const amountEnd = copyAmount(bytes, textStart, textEnd, out);
  return amountEnd >= 0 && bytes[amountEnd] === 0x20 && copySymbol(bytes, amountEnd + 1, textEnd, out);
}

const parts: readonly CopiedMember[] = [
  {
    quotedName: Buffer.from('"amount"'),
    copy: (from, out) => from.text() && copyAmount(from.bytes, from.textStart, from.textEnd, out) === from.textEnd,
    writeInitial: undefined,
  },
  {
    quotedName: Buffer.from('"symbol"'),
    copy: (from, out) => from.text() && copySymbol(from.bytes, from.textStart, from.textEnd, out),
    writeInitial: undefined,
  },
];

function copyAssetObject(from: PlainJson, out: ByteWriter, encoding: EncodingOptions): boolean {
  return from.openObject() && copyInAnyOrder(parts, 0, from, out, encoding) && from.closeObject();
}

/** Copies an amount with all six decimals; returns where it ends, or −1 if it is none. */
function copyAmount(bytes: Uint8Array, start: number, end: number, out: ByteWriter): number {
  let at = start;
  let amount = 0;
  let dot = -1;
  for (; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) amount = amount * 10 + byte - 0x30;
    else if (byte === 0x2e && dot < 0) dot = at;
    else break;
  }
  if (dot <= start || at - dot - 1 !== DECIMALS || at - start > MOST_PLAIN_DIGITS) return -1;
  out.i64(BigInt(amount));
  return at;
}

function copySymbol(bytes: Uint8Array, start: number, end: number, out: ByteWriter): boolean {
  const length = end - start;
  if (length < 3 || length > 6 || !out.mapped(bytes, start, end, CAPITALS)) return false;
  for (let index = length; index < SYMBOL_BYTES; index++) out.u8(0);
  return true;
}

function readAsset(json: Json, encoding: EncodingOptions): Asset | undefined {
  if (typeof json === 'string') return json.length > LONGEST_ASSET ? undefined : parseAsset(json);
  if (typeof json !== 'object' || json === null || Array.isArray(json) || encoding.dialect === 'legacy')
    return undefined;
  const { amount, symbol, precision, nai } = json;
  const isNumeric = typeof amount === 'string' || typeof amount === 'number' || typeof amount === 'bigint';
  if (!isNumeric || (typeof amount === 'string' && amount.length > LONGEST_ASSET)) return undefined;
  const isNamed = typeof symbol === 'string';
  requireMembers(json, isNamed ? ['amount', 'symbol'] : ['amount', 'precision', 'nai']);
  if (isNamed)
    return NUMBER.test(String(amount)) && SYMBOL.test(symbol) ? parseAsset(`${amount} ${symbol}`) : undefined;
  if (precision !== DECIMALS || !/^\d{1,16}$/.test(String(amount))) return undefined;
  const millionths = BigInt(amount);
  return millionths > LARGEST_TEXT_AMOUNT ? undefined : { amount: millionths, symbol: symbolOfNai(nai, encoding) };
}

/** Refuses members that would be ignored: they are a mistake of the client. */
function requireMembers(json: Readonly<Record<string, Json>>, known: readonly string[]): void {
  const unknown = Object.keys(json).find((name) => !known.includes(name));
  if (unknown !== undefined)
    inMember(unknown, () => mismatch(`no member besides ${known.join(', ')} in an asset`, json[unknown]));
}
