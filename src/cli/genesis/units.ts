import { Fault } from '../../base/fault.ts';
import type { ChainSymbols } from '../../codec/encoding_options.ts';
import type { Json } from '../../codec/json.ts';
import type { GenesisUnit } from '../../state/genesis_members.ts';
import { shownAsset, SATOSHIS } from '../../values/asset.ts';
import { parseTime, timeText } from '../../values/time.ts';

type Symbols = Pick<ChainSymbols, 'coinSymbol' | 'vestsSymbol'>;

const SPANS: readonly (readonly [name: string, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** A span of time in the largest unit that divides it, such as `365 days`. */
export function shownSpan(seconds: number): string {
  if (seconds === 0) return '0 seconds';
  const [name, length] = SPANS.find(([, each]) => seconds % each === 0) ?? ['second', 1];
  const count = seconds / length;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** Hundredths of a percent, as people write them. */
export function shownPercent(hundredths: number): string {
  return `${hundredths / 100} %`;
}

/** A value of the file, as people read it and `readValue` takes it. */
export function shownValue(unit: GenesisUnit, value: unknown, { coinSymbol, vestsSymbol }: Symbols): string {
  const asked = typeof value === 'bigint' || typeof value === 'number' ? value : 0;
  switch (unit) {
    case 'coins':
      return shownAsset({ amount: BigInt(asked), symbol: coinSymbol });
    case 'vests':
      return shownAsset({ amount: BigInt(asked), symbol: vestsSymbol });
    case 'percent':
      return shownPercent(Number(asked));
    case 'seconds':
      return shownSpan(Number(asked));
    case 'bytes':
      return `${asked} bytes`;
    case 'time':
      return timeText(Number(asked));
    case 'flag':
      return value === true ? 'yes' : 'no';
    case 'count':
      return String(asked);
    default:
      return String(value);
  }
}

const EXPECTED: Readonly<Record<GenesisUnit, string>> = {
  count: 'a whole number',
  coins: 'coins, such as 1000 or 0.05',
  vests: 'vesting shares, such as 250000',
  percent: 'a percentage, such as 25 or 2.5 %',
  seconds: 'a time, such as 365 days, 12 hours or 3 seconds',
  bytes: 'a number of bytes',
  time: 'a time in UTC, such as 2026-12-01T12:00:00',
  flag: 'yes or no',
  text: 'a text',
};

/**
 * Reads the text that a person has typed for a member, and returns its value in the file. Fault `configuration` that
 * says what was expected.
 */
export function readValue(member: string, unit: GenesisUnit, typed: string): Json {
  const value = parseUnitValue(unit, typed.trim());
  if (value !== undefined) return value;
  throw new Fault('configuration', `${member}: ${EXPECTED[unit]} expected, got ${typed}`);
}

function parseUnitValue(unit: GenesisUnit, text: string): Json | undefined {
  switch (unit) {
    case 'coins':
    case 'vests':
      return toMillionths(/^(\S+)(?: [A-Z]{3,6})?$/.exec(text)?.[1] ?? '');
    case 'percent':
      return scaled(/^(\S+?) ?%?$/.exec(text)?.[1] ?? '', 2);
    case 'seconds':
      return parseSeconds(text);
    case 'bytes':
      return scaled(/^(\S+)(?: bytes)?$/.exec(text)?.[1] ?? '', 0);
    case 'count':
      return scaled(text, 0);
    case 'time':
      return parseTime(text) === undefined ? undefined : text;
    case 'flag':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : undefined;
    default:
      return text;
  }
}

/** Coins as the file counts them: a number, or a text where a number would not be exact. */
export function toMillionths(coins: string): Json | undefined {
  const [, whole = '', part = ''] = /^(\d{1,13})(?:\.(\d{1,6}))?$/.exec(coins) ?? [];
  if (whole === '') return undefined;
  const amount = BigInt(whole) * SATOSHIS + BigInt(part.padEnd(6, '0'));
  return amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : String(amount);
}

function scaled(text: string, decimals: number): number | undefined {
  const [, whole = '', part = ''] = /^(\d{1,10})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '' || part.length > decimals) return undefined;
  return Number(whole + part.padEnd(decimals, '0'));
}

function parseSeconds(text: string): number | undefined {
  const [, count = '', word = ''] = /^(\d{1,10}) ?([a-z]*)$/i.exec(text) ?? [];
  if (count === '') return undefined;
  const [, length] = SPANS.find(([name]) => word !== '' && [name, `${name}s`, name[0]].includes(word)) ?? [];
  return word === '' ? Number(count) : length && Number(count) * length;
}
