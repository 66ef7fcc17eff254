import { ByteReader, ByteWriter } from './bytes.ts';
import type { Codec } from './codec.ts';
import { vector } from './collections.ts';
import { mismatch } from './decode_error.ts';
import type { Json } from './json.ts';

const DIGIT = '[A-Za-z0-9+/]';
/** Behind the last byte no bits are set, so no two texts are the same bytes. */
const PATTERN = `^(?:${DIGIT}{4})*(?:${DIGIT}[AQgw]==|${DIGIT}{2}[AEIMQUYcgkosw048]=)?$`;

/** The letters of base64. Without a group that repeats, megabytes of text do not overflow the stack of the expression. */
const NEARLY = /^[A-Za-z0-9+/]*={0,2}$/;

/** Written again it must be the same text. */
function decodeBase64(json: Json): Uint8Array {
  if (typeof json !== 'string' || json.length % 4 !== 0 || !NEARLY.test(json))
    return mismatch('base64 with padding', json);
  const bytes = Buffer.from(json, 'base64');
  return bytes.toString('base64') === json ? bytes : mismatch('base64 with padding', json);
}

function encodeBase64(write: (out: ByteWriter) => void): string {
  const out = new ByteWriter();
  write(out);
  return Buffer.from(out.finish()).toString('base64');
}

/** Bytes that are base64 in JSON. Only one text stands for the same bytes: in the usual alphabet, with padding. */
export const base64Bytes: Codec<Uint8Array, string> = {
  write(out, value) {
    out.varint(value.length);
    out.bytes(value);
  },
  read: (input) => new Uint8Array(input.bytes(input.varint())),
  toJson: (value) => Buffer.from(value).toString('base64'),
  fromJson: decodeBase64,
  initial: () => new Uint8Array(0),
  describe: () => ({ type: 'string', pattern: PATTERN }),
};

/** A value whose JSON is base64 of its packed bytes, which the description names. */
export function inBase64<T>(packed: Codec<T>, description: string): Codec<T, string> {
  return {
    write: (out, value) => packed.write(out, value),
    read: (input) => packed.read(input),
    toJson: (value) => encodeBase64((out) => packed.write(out, value)),
    fromJson(json) {
      const input = new ByteReader(decodeBase64(json));
      const value = packed.read(input);
      input.expectEnd();
      return value;
    },
    initial: (encoding) => packed.initial(encoding),
    describe: () => ({ type: 'string', pattern: PATTERN, description }),
  };
}

/** A list whose JSON is base64 of its packed items, one behind the other, without their count. Each has `bytes` bytes. */
export function listInBase64<T>(item: Codec<T>, bytes: number): Codec<readonly T[], string> {
  const { write, read } = vector(item);
  const pattern = listPattern(bytes);
  return {
    ...{ write, read },
    toJson: (values) =>
      encodeBase64((out) => {
        for (const value of values) item.write(out, value);
      }),
    fromJson(json) {
      const input = new ByteReader(decodeBase64(json));
      const values: T[] = [];
      while (input.remaining > 0) values.push(item.read(input));
      return values;
    },
    initial: () => [],
    describe: () => ({ type: 'string', pattern }),
  };
}

/** Three items end with a whole digit, and so does one whose bytes are a multiple of three. */
function listPattern(bytes: number): string {
  if (bytes % 3 === 0) return `^(?:${DIGIT}{${(4 * bytes) / 3}})*$`;
  const tails = [bytes, 2 * bytes].map((rest) => {
    const end = rest % 3 === 1 ? `${DIGIT}[AQgw]==` : `${DIGIT}{2}[AEIMQUYcgkosw048]=`;
    return `${DIGIT}{${4 * Math.trunc(rest / 3)}}${end}`;
  });
  return `^(?:${DIGIT}{${4 * bytes}})*(?:${tails.join('|')})?$`;
}
