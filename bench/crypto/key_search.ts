import { secretOfSeed } from '../../src/crypto/brain_key.ts';
import { KeySearch } from '../../src/crypto/leaked_keys.ts';
import { passwordKeyEnds, secretKeyEnds } from '../../src/crypto/password_keys.ts';
import { encodeWif } from '../../src/crypto/wif.ts';
import { against, atMostMicros, row, type Budget, type Row } from '../bench.ts';
import { measureMicros, makeRow } from './timed.ts';

const SENTENCE =
  'invoice 4711 of 2026-11-23, thank you for the quick delivery of the spare parts; the rest follows in spring, as was agreed';
const LONGEST = 2047;
/** One text takes less than the clock's unit. */
const MANY = 1000;
/** Transfers with a memo that take as many bytes as the longest memo alone. */
const TRANSFERS = 15;
/** Of what such a transfer may cost, the three keys of its memo are a fifth: 8 of 40 µs. */
const SHARE_OF_KEYS = 0.2;

const filled = (piece: string): string => piece.repeat(Math.ceil(LONGEST / piece.length)).slice(0, LONGEST);
const numbered = (textOf: (secret: Uint8Array) => string): string =>
  Array.from({ length: 50 }, (_, index) => textOf(secretOfSeed(`number ${index}`)))
    .join(' ')
    .slice(0, LONGEST);
const hex = (secret: Uint8Array): string => Buffer.from(secret).toString('hex');
const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');
/** The checksum is wrong, so that the search goes on. */
const spoilt = (secret: Uint8Array): string => encodeWif(secret).slice(0, -1).concat('1');

const hostile: Readonly<Record<string, string>> = {
  'WIFs with wrong checksums': numbered(spoilt),
  'WIFs that overlap': filled('5J5K5H'),
  'eight WIFs, then hex': `${numbered((secret) => encodeWif(secret)).slice(0, 8 * 52)}${numbered(hex)}`.slice(
    0,
    LONGEST,
  ),
  'hashes in hex': numbered(hex),
  'hashes in base64': numbered(base64),
  'hex of WIFs': numbered((secret) => hex(Buffer.from(spoilt(secret)))),
  'one run of base64': base64(numbered(spoilt)).slice(0, LONGEST),
  slashes: filled('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH/'),
};

/** Compares the search for private keys in texts with deriving the keys that each memo makes as a password. */
export function run({ quick }: { quick: boolean }): Row[] {
  const memos = Array.from({ length: 10 * TRANSFERS }, (_, index) => ({ account: 'alice', text: `order ${index}` }));
  const keysOfMemos = makeRow(
    `the keys of ${TRANSFERS} memos, as many bytes as the longest text`,
    'text',
    TRANSFERS * measureMicros(memos.length, quick, () => passwordKeyEnds(memos, ['owner', 'active', 'posting'])),
  );
  const rowOfText = (name: string, text: string, budget: Budget): Row =>
    makeRow(
      name,
      'text',
      measureMicros(1, quick, () => derived([text])),
      keysOfMemos,
      budget,
    );
  return [
    keysOfMemos,
    against(
      row(
        'a plain memo of 120 characters',
        'text',
        { work: MANY, cpuMicros: measureMicros(1, quick, searchMany) },
        { budget: atMostMicros(0.3) },
      ),
      keysOfMemos,
    ),
    rowOfText(`a plain text of ${LONGEST}`, filled(`${SENTENCE} `), { ratio: 1 }),
    ...Object.entries(hostile).map(([name, text]) =>
      rowOfText(`${name}, ${LONGEST} characters`, text, { ratio: SHARE_OF_KEYS }),
    ),
  ];
}

function searchMany(): void {
  for (let index = 0; index < MANY; index++) new KeySearch().secretsIn(SENTENCE);
}

function derived(texts: readonly string[]): void {
  const search = new KeySearch();
  secretKeyEnds(texts.flatMap((text) => search.secretsIn(text)));
}
