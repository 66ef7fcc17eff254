import { isUtf8 } from 'node:buffer';

import { refusals } from '../base/refusal.ts';
import type { Codec } from '../codec/codec.ts';
import { DecodeError, mismatch, shownJson } from '../codec/decode_error.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { base64mDecode } from '../crypto/base64m.ts';
import { LARGEST_TRANSACTION_BYTES } from './limits.ts';

const NOT_DIGIT = /[^A-Za-z0-9+/_ \t\r\n-]/u;
const WHITE_SPACE = /[ \t\r\n]+/g;
const PADDING = /^=?[ \t\r\n]*=?[ \t\r\n]*$/;
const PADDING_OR_SPACE = /[^= \t\r\n]/u;

/**
 * The bytes of a text in base64, in either alphabet, with or without padding. White space is skipped; anything else is
 * refused with its position, counted from 1, because reading on or stopping there would lose the rest without a word.
 */
export function decodeBase64(text: string): Uint8Array {
  const end = NOT_DIGIT.exec(text)?.index ?? text.length;
  const rest = text.slice(end);
  if (!PADDING.test(rest)) refuseCharacter(text, end, rest);
  const digits = text.slice(0, end).replaceAll(WHITE_SPACE, '');
  const paddings = rest.replaceAll(WHITE_SPACE, '').length;
  const missing = (4 - (digits.length % 4)) % 4;
  if (missing === 3)
    throw new DecodeError('base64 expected, got a text that ends inside a byte: its last digit stands alone');
  if (paddings !== 0 && paddings !== missing)
    throw new DecodeError(`base64 expected, got ${paddings} "=" where ${missing} belong`);
  const bytes = Buffer.from(digits, 'base64');
  const last = digits.at(-1);
  if (last !== undefined && bytes.toString('base64url').at(-1) !== last.replace('+', '-').replace('/', '_'))
    throw new DecodeError(`base64 expected, got a last digit ${shownJson(last)} that has bits behind the last byte`);
  return bytes;
}

/** Names the first character that is neither a digit nor the padding at the end. */
function refuseCharacter(text: string, end: number, rest: string): never {
  const within = rest.startsWith('=') ? (PADDING_OR_SPACE.exec(rest)?.index ?? rest.lastIndexOf('=')) : 0;
  const index = end + within;
  const found = shownJson(String.fromCodePoint(text.codePointAt(index) ?? 0));
  throw new DecodeError(`base64 expected, got ${found} as character ${index + 1}`);
}

const DIGIT = '[A-Za-z0-9+/_-]';
const SPACE = '[ \\t\\r\\n]*';
const SPACED = `${DIGIT}${SPACE}`;
/** The last digit where one or two bytes are left: the bits behind the last byte are zero. */
const ONE_BYTE = `${SPACED}[AQgw]${SPACE}(?:=${SPACE}=${SPACE})?`;
const TWO_BYTES = `${SPACED}${SPACED}[AEIMQUYcgkosw048]${SPACE}(?:=${SPACE})?`;

/** Exactly the texts that `decodeBase64` reads. */
const BASE64_PATTERN = `^${SPACE}(?:${SPACED}${SPACED}${SPACED}${SPACED})*(?:${ONE_BYTE}|${TWO_BYTES})?$`;

/** The largest transaction takes a third less, white space aside. */
const MOST_CHARACTERS = 2 * LARGEST_TRANSACTION_BYTES;

const described = {
  type: 'string',
  pattern: BASE64_PATTERN,
  maxLength: MOST_CHARACTERS,
  description: 'base64 in either alphabet; white space is skipped',
} as const;

/** Data that somebody gives as base64. The lineage reads up to the first character that is no digit. */
export const base64Data: Codec<Uint8Array, string> = {
  write(out, value) {
    out.varint(value.length);
    out.bytes(value);
  },
  read: (input) => new Uint8Array(input.bytes(input.varint())),
  toJson: (value) => Buffer.from(value).toString('base64'),
  fromJson: (json, { readsLineage = false }) => {
    if (typeof json !== 'string') return mismatch('base64', json);
    if (readsLineage) return base64mDecode(json);
    if (json.length > MOST_CHARACTERS)
      throw new DecodeError(`base64 of at most ${MOST_CHARACTERS} characters expected, got ${json.length}`);
    return decodeBase64(json);
  },
  initial: () => new Uint8Array(0),
  describe: ({ readsLineage = false }) => (readsLineage ? { type: 'string', description: 'base64' } : described),
};

/** The refusal of `textOfData`, which methods declare. */
export const dataRefusals = refusals({
  data_not_utf8: 'the data are {length} bytes that are no valid UTF-8; a text can hold no others',
});

/** The text whose UTF-8 bytes these are. The lineage shows a replacement character where bytes are none. */
export function textOfData(data: Uint8Array, { readsLineage = false }: Pick<EncodingOptions, 'readsLineage'>): string {
  if (!readsLineage && !isUtf8(data)) dataRefusals.data_not_utf8({ length: data.length });
  return Buffer.from(data).toString('utf8');
}
