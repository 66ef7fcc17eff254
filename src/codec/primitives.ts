import type { ByteReader, ByteWriter } from './bytes.ts';
import { copying, type Codec, type JsonSchema } from './codec.ts';
import type { Json } from './json.ts';
import { mismatch } from './decode_error.ts';
import { numberText, plainText, writing } from './json_text.ts';
import { speaksLineage, type EncodingOptions } from './encoding_options.ts';
import { decimalText, givenInteger, integerSchema } from './schemas.ts';

// The lineage writes larger integers as strings, so its clients expect strings; beyond 2⁵³ most clients would lose
// precision.
const LARGEST_ORIGINAL_NUMBER = 0xffff_ffffn;
const LARGEST_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);
const DECIMAL = /^-?(?:0|[1-9][0-9]{0,38})$/; // 39 digits hold 128 bits

/**
 * An integer as JSON: a number if every client reads it exactly, otherwise a decimal string; as in the lineage, above
 * 2³²−1.
 */
export function integerToJson(value: bigint, encoding: EncodingOptions): Json {
  if (value > largestNumber(encoding)) return value.toString();
  if (value >= -LARGEST_NUMBER) return Number(value);
  return speaksLineage(encoding) ? value : value.toString();
}

function largestNumber(encoding: EncodingOptions): bigint {
  return speaksLineage(encoding) ? LARGEST_ORIGINAL_NUMBER : LARGEST_NUMBER;
}

/** The same as text. */
function integerText(value: bigint, encoding: EncodingOptions): string {
  const isNumber = value <= largestNumber(encoding) && (value >= -LARGEST_NUMBER || speaksLineage(encoding));
  return isNumber ? value.toString() : plainText(value.toString());
}

/** The integer in a JSON number or decimal string, within `lowest..highest`; never converted through a float. */
export function integerFromJson(json: Json, lowest: bigint, highest: bigint): bigint {
  const value = exactInteger(json);
  if (value === undefined || value < lowest || value > highest)
    mismatch(`an integer from ${lowest} to ${highest}`, json);
  return value;
}

function exactInteger(json: Json): bigint | undefined {
  if (typeof json === 'bigint') return json;
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : undefined;
  return typeof json === 'string' && DECIMAL.test(json) ? BigInt(json) : undefined;
}

/** The JSON Schema of an integer: results have a number, params a number or a text. */
export function describeInteger(
  lowest: bigint,
  highest: bigint,
  { describesGiven = false }: EncodingOptions,
): JsonSchema {
  return describesGiven ? givenInteger(lowest, highest) : integerSchema(lowest, highest);
}

/** A number where all clients read it exactly, otherwise a text. */
function describeShown(lowest: bigint, highest: bigint, encoding: EncodingOptions): JsonSchema {
  const least = lowest < -LARGEST_NUMBER && !speaksLineage(encoding) ? -LARGEST_NUMBER : lowest;
  return { anyOf: [integerSchema(least, largestNumber(encoding)), decimalText(lowest, highest)] };
}

function smallUnsigned(
  bits: 8 | 16 | 32,
  write: (out: ByteWriter, value: number) => void,
  read: (input: ByteReader) => number,
): Codec<number, number> {
  const highest = 2 ** bits - 1;
  return {
    write,
    read,
    toJson: writing((value) => value, numberText),
    fromJson: copying(
      (json) => {
        if (typeof json === 'number' && Number.isInteger(json) && json >= 0 && json <= highest) return json;
        return Number(integerFromJson(json, 0n, BigInt(highest)));
      },
      (from, out) => {
        const value = from.unsigned();
        if (value < 0 || value > highest) return false;
        write(out, value);
        return true;
      },
    ),
    initial: () => 0,
    describe: (encoding) => describeInteger(0n, BigInt(highest), encoding),
  };
}

function large(
  lowest: bigint,
  highest: bigint,
  write: (out: ByteWriter, value: bigint) => void,
  read: (input: ByteReader) => bigint,
): Codec<bigint, bigint> {
  return {
    write,
    read,
    toJson: writing((value, encoding) => integerToJson(value, encoding), integerText),
    fromJson: copying(
      (json) => integerFromJson(json, lowest, highest),
      (from, out) => {
        const value = from.unsigned();
        if (value < 0) return false;
        write(out, BigInt(value));
        return true;
      },
    ),
    initial: () => 0n,
    describe: (encoding) =>
      encoding.describesGiven === true ? givenInteger(lowest, highest) : describeShown(lowest, highest, encoding),
  };
}

export const u8: Codec<number, number> = smallUnsigned(
  8,
  (out, value) => out.u8(value),
  (input) => input.u8(),
);
export const u16: Codec<number, number> = smallUnsigned(
  16,
  (out, value) => out.u16(value),
  (input) => input.u16(),
);
export const u32: Codec<number, number> = smallUnsigned(
  32,
  (out, value) => out.u32(value),
  (input) => input.u32(),
);
export const u64: Codec<bigint, bigint> = large(
  0n,
  2n ** 64n - 1n,
  (out, value) => out.u64(value),
  (input) => input.u64(),
);
export const i64: Codec<bigint, bigint> = large(
  -(2n ** 63n),
  2n ** 63n - 1n,
  (out, value) => out.i64(value),
  (input) => input.i64(),
);

/** 128 bits: the high word first, each word little-endian. As JSON always a decimal string. */
export const u128: Codec<bigint, bigint> = {
  write(out, value) {
    out.u64(value >> 64n);
    out.u64(value & 0xffff_ffff_ffff_ffffn);
  },
  read: (input) => (input.u64() << 64n) | input.u64(),
  toJson: (value) => value.toString(),
  fromJson: (json) => integerFromJson(json, 0n, 2n ** 128n - 1n),
  initial: () => 0n,
  describe: ({ describesGiven = false }) =>
    describesGiven
      ? givenInteger(0n, 2n ** 128n - 1n)
      : { type: 'string', pattern: '^(?:0|[1-9][0-9]{0,38})$', description: 'a decimal integer below 2^128' },
};

/** One byte, 00 or 01. */
export const bool: Codec<boolean, boolean> = {
  write: (out, value) => out.u8(value ? 1 : 0),
  read(input) {
    const byte = input.u8();
    if (byte > 1) input.refuse('a boolean is neither 00 nor 01');
    return byte === 1;
  },
  toJson: writing(
    (value) => value,
    (value) => (value ? 'true' : 'false'),
  ),
  fromJson: copying(
    (json) => {
      if (typeof json === 'boolean') return json;
      if (json === 0 || json === 1) return json === 1;
      if (json === 'true' || json === 'false') return json === 'true';
      return mismatch('true or false', json);
    },
    (from, out) => {
      const value = from.boolean();
      out.u8(value === true ? 1 : 0);
      return value !== undefined;
    },
  ),
  initial: () => false,
  describe: ({ describesGiven = false }) =>
    describesGiven ? { enum: [true, false, 1, 0, 'true', 'false'] } : { type: 'boolean' },
};

/** A boolean that defaults to true. */
export const trueByDefault: Codec<boolean, boolean> = {
  ...bool,
  initial: () => true,
  describe: (encoding) => ({ ...bool.describe(encoding), default: true }),
};

/** The identity mapping of bytes. */
const SAME_BYTE = Int16Array.from({ length: 256 }, (_, byte) => byte);

/** UTF-8 text, prefixed with its length in bytes. */
export const text: Codec<string, string> = {
  freeTexts: (value) => [value],
  write: (out, value) => out.text(value),
  read: (input) => input.text(),
  toJson: writing(
    (value) => value,
    (value) => (value === '' ? '""' : JSON.stringify(value)),
  ),
  fromJson: copying(
    (json) => (typeof json === 'string' ? json : mismatch('a text', json)),
    (from, out) => {
      if (from.text()) {
        out.varint(from.textEnd - from.textStart);
        return out.mapped(from.bytes, from.textStart, from.textEnd, SAME_BYTE);
      }
      const value = from.anyText();
      if (value !== undefined) out.text(value);
      return value !== undefined;
    },
  ),
  initial: () => '',
  describe: () => ({ type: 'string' }),
};

/** A text of which these have a meaning. It reads any: the method refuses others by a name of its own. */
export function enumeration<const W extends string>(...words: readonly W[]): Codec<string, W> {
  const { write, read, toJson, fromJson, initial } = text;
  return { write, read, toJson, fromJson, initial, describe: () => ({ type: 'string', enum: words }) };
}

/** Hex digits are read in either case, and written in lower case. */
function hexDigit(isGiven: boolean): string {
  return isGiven ? '[0-9A-Fa-f]' : '[0-9a-f]';
}

const HEX = /^(?:[0-9a-f]{2})*$/i;
const LONGEST_BYTES = 10 * 1024 * 1024 - 1; // the lineage reader's limit

/** Length-prefixed bytes, held as lower-case hex digits. */
export const hexBytes: Codec<string, string> = {
  freeTexts: (value) => [Buffer.from(value, 'hex').toString('latin1')],
  write(out, value) {
    out.varint(value.length >>> 1);
    out.hex(value);
  },
  read(input) {
    const count = input.varint();
    if (count > LONGEST_BYTES) input.refuse(`${count} bytes are more than a byte string may hold`);
    return input.hex(count);
  },
  toJson: writing((value) => value, plainText),
  fromJson: copying(
    (json) =>
      typeof json === 'string' && HEX.test(json) ? json.toLowerCase() : mismatch('an even number of hex digits', json),
    (from, out) => {
      if (!from.text()) return false;
      out.varint((from.textEnd - from.textStart) >>> 1);
      return out.hexDigits(from.bytes, from.textStart, from.textEnd);
    },
  ),
  initial: () => '',
  describe: ({ describesGiven = false }) => ({ type: 'string', pattern: `^(?:${hexDigit(describesGiven)}{2})*$` }),
};

/** Exactly `count` bytes, held as lower-case hex digits; all zero by default. */
export function fixedHex(count: number): Codec<string, string> {
  const digits = count * 2;
  return {
    write: (out, value) => out.hex(value),
    read: (input) => input.hex(count),
    toJson: writing((value) => value, plainText),
    fromJson: copying(
      (json) => {
        if (typeof json !== 'string' || json.length !== digits || !HEX.test(json))
          return mismatch(`${digits} hex digits`, json);
        return json.toLowerCase();
      },
      (from, out) =>
        from.text() &&
        from.textEnd - from.textStart === digits &&
        out.hexDigits(from.bytes, from.textStart, from.textEnd),
    ),
    initial: () => '0'.repeat(digits),
    describe: ({ describesGiven = false }) => ({ type: 'string', pattern: `^${hexDigit(describesGiven)}{${digits}}$` }),
  };
}

/** Length-prefixed bytes, held as raw bytes: for rows on disk that contain packed values. In JSON hex digits. */
export const packedBytes: Codec<Uint8Array, string> = {
  write(out, value) {
    out.varint(value.length);
    out.bytes(value);
  },
  read: (input) => new Uint8Array(input.bytes(input.varint())),
  toJson: (value) => Buffer.from(value).toString('hex'),
  fromJson: (json, encoding) => Buffer.from(hexBytes.fromJson(json, encoding), 'hex'),
  initial: () => new Uint8Array(0),
  describe: hexBytes.describe,
};
