import { isUtf8 } from 'node:buffer';

import type { Codec } from '../codec/codec.ts';
import { DecodeError, mismatch, shownJson } from '../codec/decode_error.ts';
import { base64mDecode } from '../crypto/base64m.ts';

const NOT_DIGIT = /[^A-Za-z0-9+/_ \t\r\n-]/u;
const WHITE_SPACE = /[ \t\r\n]+/g;
const PADDING = /^=?[ \t\r\n]*=?[ \t\r\n]*$/;
const PADDING_OR_SPACE = /[^= \t\r\n]/u;

/**
 * The bytes of a text in base64, in either alphabet, with or without padding. White space is skipped; anything else is refused with its
 * position, counted from 1, because reading on or stopping there would lose the rest without a word.
 */
export function decodeBase64(text: string): Uint8Array {
  const end = NOT_DIGIT.exec(text)?.index ?? text.length;
  const rest = text.slice(end);
  if (!PADDING.test(rest)) refuseCharacter(text, end, rest);
  const digits = text.slice(0, end).replaceAll(WHITE_SPACE, '');
  const paddings = rest.replaceAll(WHITE_SPACE, '').length;
  const missing = (4 - (digits.length % 4)) % 4;
  if (missing === 3) throw new DecodeError('base64 expected, got a text that ends inside a byte: its last digit stands alone');
  if (paddings !== 0 && paddings !== missing) throw new DecodeError(`base64 expected, got ${paddings} "=" where ${missing} belong`);
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

const described = { type: 'string', description: 'base64 in either alphabet; white space is skipped' } as const;

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
    return readsLineage ? base64mDecode(json) : decodeBase64(json);
  },
  initial: () => new Uint8Array(0),
  describe: ({ readsLineage = false }) => (readsLineage ? { type: 'string', description: 'base64' } : described),
};

/** A text that somebody gives as the base64 of its UTF-8 bytes. */
export const base64Text: Codec<string, string> = {
  write: (out, value) => out.text(value),
  read: (input) => input.text(),
  toJson: (value) => Buffer.from(value, 'utf8').toString('base64'),
  fromJson: (json, notation) => {
    const bytes = base64Data.fromJson(json, notation);
    if (notation.readsLineage !== true && !isUtf8(bytes))
      throw new DecodeError(`the base64 of a text expected, got ${bytes.length} bytes that are no valid UTF-8`);
    return Buffer.from(bytes).toString('utf8');
  },
  initial: () => '',
  describe: base64Data.describe,
};
