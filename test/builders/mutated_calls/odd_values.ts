import type { RandomSource } from '../random_source.ts';

/** The words of a text. */
const words = (text: string): string[] => text.trim().split(/\s+/);
/** The lines of a text, which may hold blanks. */
const lines = (text: string): string[] => text.split('\n').map((line) => line.replace(/^ {2}/, ''));

/** Bounds at which integers overflow, lose digits as floats, or become strings. */
const EDGES = [0, 1, 7, 8, 15, 16, 31, 32, 53, 63, 64, 128].map((bits) => 2n ** BigInt(bits)).concat(10n ** 39n);
const INTEGERS = EDGES.flatMap((edge) => [edge - 1n, edge, edge + 1n]).flatMap((edge) => [String(edge), String(-edge)]);

const NUMBERS = [
  ...words(`-0 0.0 -0.0 1.0 1e0 1E2 1.5 -1.5 0.1 1e-7 1e-400 1e21 1e308 -1e308 1e309 1.7976931348623157e308 5e-324 1e+2
    9007199254740993.0 4294967295.5 2147483648e0 18446744073709551615.0`),
  ...['9'.repeat(16), '9'.repeat(39), '1'.repeat(80), '1'.repeat(400), `0.${'3'.repeat(300)}`, `1e${'9'.repeat(20)}`],
  // Not JSON.
  ...words('01 - +1 .5 1. 1e 0x10 NaN Infinity undefined'),
];

/** The content of a JSON string, escapes included. */
const TEXTS = [
  ...['', ' ', '\u0000', '\u0001', '\u007f', '\u00a0', '\u202e', 'e\u0301'],
  ...words(
    `0 -1 1.5 1e3 00 +1 0x1f null true NaN [] {} 9007199254740993 18446744073709551616 340282366920938463463374607431768211456`,
  ),
  ...words('__proto__ constructor prototype toString hasOwnProperty valueOf length __defineGetter__ then toJSON'),
  ...words(String.raw`\u0000 a\u0000b \ud800 \udc00 \ud83d\ude00 \udc80 \ufeff \u2028 \uffff \" \\ \n \t \x41 \u12`),
  ...words('ž € 😀 ﬃ İ ß ==== aGVsbG8= aGVsbG8 %%% abc zz http://example #memo @bob @@000000021'),
  ...words('alice bob carol initminer nobody none temp ALICE a-b_c a/b+c owner active memo'),
  ...lines(`alice${' '}
   alice
  1.000000 COIN
  1 COIN
  1 VESTS
  0.0000001 COIN
  -1 COIN
  1e3 COIN
  1e999999999 COIN
  1e-999999999 COIN
  COIN
  1COIN
  1  COIN
  1 USD
  1${' '}
  1 CO
  1 ÄÖÜ
  99999999999999999999 COIN
  1. COIN
  . COIN
  1.5.5 COIN
  Infinity COIN
  0x10 COIN
  1 \\u0000\\u0000\\u0000`),
  ...words(`2026-01-01T00:00:03 2026-01-01T00:00:03Z 2026-01-01T00:00:03.999999999999999 2026-02-30T00:00:00 2026-01-01
    1970-01-01T00:00:00 1969-12-31T23:59:59 2106-02-07T06:28:15 2106-02-07T06:28:16 9999-12-31T23:59:59 0000-00-00T00:00:00
    2026-01-01T24:00:00 2026-01-01T00:00:60 2026-1-1T0:0:0 -2026-01-01T00:00:00`),
  ...words('5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK 5J PHR PHR1111111111111111111111111111111114T1Anm'),
  ...words(`by_name by_id by_nothing by_sender by_recipient_datetime_reverse by_name_reverse by_account _reverse transfer
    transfer_operation _operation interest interest_operation alexandria_api.info {\\"n\\":1}`),
  ...[
    `5${'1'.repeat(50)}`,
    `PHR${'1'.repeat(50)}`,
    `SPH${'1'.repeat(50)}`,
    `02${'f'.repeat(64)}`,
    `1f${'0'.repeat(128)}`,
  ],
  ...[40, 64, 66, 130].flatMap((digits) => ['0'.repeat(digits), 'f'.repeat(digits), 'F'.repeat(digits)]),
  ...[
    'A'.repeat(32),
    'a'.repeat(33),
    'a'.repeat(257),
    'a'.repeat(2049),
    '0'.repeat(9000),
    'ab'.repeat(4097),
    '€'.repeat(700),
  ],
  // Around the longest name, time, amount, memo and URL.
  ...[224, 225].map((zeros) => `alice${'A'.repeat(zeros)}`),
  ...[40, 41].map((digits) => `2026-01-01T00:00:00.${'1'.repeat(digits)}`),
  ...[243, 244].map((zeros) => `${'0'.repeat(zeros)}1.000000 COIN`),
  ...[
    'a'.repeat(256),
    'a'.repeat(2047),
    'a'.repeat(2048),
    '€'.repeat(683),
    '😀'.repeat(200),
    '😀'.repeat(2100),
    'ab'.repeat(2050),
  ],
];

const OTHERS = words('null true false [] {} [null] [[]] [{}] {"a":1} [0,{}] ["",{}] [0] [0,0] [1,2,3] {"":""}');

const NAMES = [
  ...['', ' '],
  ...words(`__proto__ constructor prototype toString hasOwnProperty length then toJSON 0 -1 1e3 \\u0000 \\ud83d\\ude00 \\ud800 ž
    type value amount symbol precision nai fee account_subsidy_budget sbd_amount pending start limit order count key props
    extensions signatures operations id method params jsonrpc`),
];

/** All of them as JSON text; some are none. */
export const oddTexts: readonly string[] = [
  ...INTEGERS,
  ...NUMBERS,
  ...OTHERS,
  ...[...INTEGERS, ...TEXTS].map((text) => `"${text}"`),
];

/** A number of any kind, sometimes not a number at all. */
export function oddNumber(randomSource: RandomSource): string {
  if (randomSource.chance(60)) return randomSource.pick(INTEGERS);
  return randomSource.chance(50) ? String(randomSource.roll(300)) : randomSource.pick(NUMBERS);
}

/** A text in its quotes. */
export function oddText(randomSource: RandomSource): string {
  return `"${randomSource.pick(randomSource.chance(10) ? INTEGERS : TEXTS)}"`;
}

/** A small value of the wrong kind. */
export function oddValue(randomSource: RandomSource): string {
  const chance = randomSource.roll(10);
  if (chance < 4) return oddNumber(randomSource);
  return chance < 7 ? oddText(randomSource) : randomSource.pick(OTHERS);
}

/** A member's name in its quotes. */
export function oddName(randomSource: RandomSource): string {
  return `"${randomSource.pick(NAMES)}"`;
}
