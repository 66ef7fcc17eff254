import { textBytes, textOfBytes } from '../codec/bytes.ts';
import { copying, type Codec } from '../codec/codec.ts';
import { DecodeError, mismatch } from '../codec/decode_error.ts';
import type { Json } from '../codec/json.ts';
import { plainText, writing } from '../codec/json_text.ts';
import { text } from '../codec/primitives.ts';
import type { HexText } from './hex_text.ts';

const CONTINUATION = '[89ab].';
/** The first byte of a character of several bytes and its second one, as hex digits, and how many bytes follow both. */
const SEQUENCES = [
  { first: '(?:c[2-9a-f]|d.)', second: CONTINUATION, not: '[0-7c-f].', more: 0 },
  { first: 'e0', second: '[ab].', not: '[0-9c-f].', more: 1 },
  { first: '(?:e[1-9a-cef])', second: CONTINUATION, not: '[0-7c-f].', more: 1 },
  { first: 'ed', second: '[89].', not: '[0-7a-f].', more: 1 },
  { first: 'f0', second: '[9ab].', not: '[0-8c-f].', more: 2 },
  { first: 'f[1-3]', second: CONTINUATION, not: '[0-7c-f].', more: 2 },
  { first: 'f4', second: '8.', not: '[0-79a-f].', more: 2 },
] as const;

/**
 * One character of valid UTF-8; what breaks it: a byte that begins none, or another byte where one belongs; and one
 * that the end cuts off.
 */
const CHARACTER = ['[0-7].', ...SEQUENCES.map(({ first, second, more }) => first + second + CONTINUATION.repeat(more))];
const BREAK = ['[89ab].', 'c[01]', 'f[5-9a-f]', ...SEQUENCES.flatMap(breaks)];

const CUT = SEQUENCES.flatMap(begun);

function breaks({ first, second, not, more }: (typeof SEQUENCES)[number]): string[] {
  return [
    first + not,
    ...Array.from({ length: more }, (_, index) => `${first}${second}${CONTINUATION.repeat(index)}[0-7c-f].`),
  ];
}

function begun({ first, second, more }: (typeof SEQUENCES)[number]): string[] {
  return [first, ...Array.from({ length: more }, (_, index) => first + second + CONTINUATION.repeat(index))];
}

/**
 * The hex digits of bytes that are no valid UTF-8. Only the ends are anchored, as generators of texts take other
 * anchors for nothing.
 */
const PATTERN = `^(?:${CHARACTER.join('|')})*(?:(?:${BREAK.join('|')})(?:..)*|${CUT.join('|')})$`.replaceAll(
  '.',
  '[0-9a-f]',
);
const BYTES = /^(?:[0-9a-f]{2})+$/;

/**
 * A text that blocks of the lineage may hold as any bytes. JSON has no such texts, and readers refuse half of a
 * surrogate pair: where the bytes are no valid UTF-8, the JSON form is an object with their hex digits, such as
 * `{"hex":"7aff"}`. Every text has one form only.
 */
export const anyText: Codec<string, string | HexText> = {
  ...text,
  toJson: writing(
    (value) => (value.isWellFormed() ? value : { hex: textHex(value) }),
    (value) => (value.isWellFormed() ? JSON.stringify(value) : `{"hex":${plainText(textHex(value))}}`),
  ),
  fromJson: copying((json) => {
    if (typeof json === 'string') return json;
    const hex = onlyHex(json);
    if (typeof hex !== 'string' || !BYTES.test(hex))
      return mismatch('a text, or {"hex": …} with bytes that are none', json);
    const value = textOfBytes(Buffer.from(hex, 'hex'));
    if (value.isWellFormed())
      throw new DecodeError('bytes that are no valid UTF-8 expected as hex digits; give valid UTF-8 as a text');
    return value;
  }, text.fromJson.copy),
  describe: () => {
    const hex = { type: 'string', pattern: PATTERN };
    const bytes = { type: 'object', properties: { hex }, required: ['hex'], additionalProperties: false };
    return {
      anyOf: [
        { type: 'string' },
        { ...bytes, description: 'bytes that are no valid UTF-8, which blocks of the lineage hold' },
      ],
    };
  },
};

function textHex(value: string): string {
  return Buffer.from(textBytes(value)).toString('hex');
}

/** Returns the value of an object whose only member is `hex`. */
function onlyHex(json: Json): Json | undefined {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  if (!isObject) return undefined;
  const [[name, value] = [], ...more] = Object.entries(json);
  return name === 'hex' && more.length === 0 ? value : undefined;
}
