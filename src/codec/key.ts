import { assert } from '../base/assert.ts';
import { ByteReader, ByteWriter } from './bytes.ts';

/**
 * One part of a key on disk. Its bytes sort as its values do and are self-delimiting, so that concatenated parts
 * sort as tuples: by the first part, then by the second.
 */
export interface KeyPart<T> {
  /** The number of bytes of every value; `'variable'` when that depends on the value. */
  readonly byteLength: number | 'variable';
  write(out: ByteWriter, value: T): void;
  read(input: ByteReader): T;
}

/** Key parts for the members of a tuple, in order. */
export type KeyParts<T extends readonly unknown[]> = { readonly [I in keyof T]: KeyPart<T[I]> };

/** Integer of 8 bits. */
export const u8Key: KeyPart<number> = {
  byteLength: 1,
  write: (out, value) => out.u8(value),
  read: (input) => input.u8(),
};

/** Integer of 16 bits, big-endian. */
export const u16Key: KeyPart<number> = {
  byteLength: 2,
  write(out, value) {
    out.u8(value >>> 8);
    out.u8(value & 0xff);
  },
  read: (input) => (input.u8() << 8) | input.u8(),
};

/** Integer of 32 bits, big-endian: block numbers, times. */
export const u32Key: KeyPart<number> = {
  byteLength: 4,
  write: (out, value) => out.u32(swapped(value)),
  read: (input) => swapped(input.u32()),
};

/** Integer of 64 bits, big-endian. */
export const u64Key: KeyPart<bigint> = {
  byteLength: 8,
  write: writeHighFirst,
  read: readHighFirst,
};

const SIGN = 1n << 63n;

/** Signed integer of 64 bits; the sign bit is flipped so that negative numbers sort before positive ones. */
export const i64Key: KeyPart<bigint> = {
  byteLength: 8,
  write: (out, value) => writeHighFirst(out, value + SIGN),
  read: (input) => readHighFirst(input) - SIGN,
};

/** Integer of 128 bits, big-endian. */
export const u128Key: KeyPart<bigint> = {
  byteLength: 16,
  write(out, value) {
    writeHighFirst(out, value >> 64n);
    writeHighFirst(out, BigInt.asUintN(64, value));
  },
  read: (input) => (readHighFirst(input) << 64n) | readHighFirst(input),
};

/** `false` before `true`. */
export const boolKey: KeyPart<boolean> = {
  byteLength: 1,
  write: (out, value) => out.u8(value ? 1 : 0),
  read: (input) => input.u8() !== 0,
};

/** Exactly `byteLength` bytes, as lower-case hex: hashes, ids, public keys. */
export function hexKey(byteLength: number): KeyPart<string> {
  return {
    byteLength,
    write(out, value) {
      assert(value.length === byteLength * 2, `a key part of ${byteLength} bytes has twice as many hex digits`);
      out.hex(value);
    },
    read: (input) => input.hex(byteLength),
  };
}

const raw = new ByteWriter(); // shared, because a separate buffer costs more than the part

/** Text of any length, sorted by its UTF-8 bytes; can hold every text that `ByteReader.text` returns. */
export const textKey: KeyPart<string> = {
  byteLength: 'variable',
  write(out, value) {
    raw.reset();
    raw.text(value);
    const bytes = raw.view();
    let start = 1;
    while ((bytes[start - 1] ?? 0) >= 0x80) start++; // skips the length prefix
    writeEscaped(out, bytes.subarray(start));
  },
  read(input) {
    const bytes = readEscaped(input);
    raw.reset();
    raw.varint(bytes.length);
    raw.bytes(bytes);
    return new ByteReader(raw.view()).text();
  },
};

/** The same values in descending order. */
export function descending<T>(part: KeyPart<T>): KeyPart<T> {
  return {
    byteLength: part.byteLength,
    write(out, value) {
      const ascending = new ByteWriter(32);
      part.write(ascending, value);
      out.bytes(complement(ascending.view()));
    },
    read(input) {
      if (part.byteLength !== 'variable') return part.read(new ByteReader(complement(input.bytes(part.byteLength))));
      return part.read(new ByteReader(complement(variableBytes(input, 0xff))));
    },
  };
}

// A zero byte inside is written as 00 FF and the end as 00 00, so that the end sorts before any further byte.
const ESCAPE = 0x00;
const ESCAPED_ZERO = 0xff;
const END = 0x00;

function writeEscaped(out: ByteWriter, bytes: Uint8Array): void {
  for (const byte of bytes) {
    out.u8(byte);
    if (byte === ESCAPE) out.u8(ESCAPED_ZERO);
  }
  out.u8(ESCAPE);
  out.u8(END);
}

function readEscaped(input: ByteReader): Uint8Array {
  const escaped = variableBytes(input, 0);
  const bytes: number[] = [];
  for (let at = 0; at < escaped.length - 2; at++) {
    const byte = escaped[at] ?? 0;
    bytes.push(byte);
    if (byte === ESCAPE) at++;
  }
  return Uint8Array.from(bytes);
}

/** Reads the bytes of a variable part and its end; `mask` is 0xff if all its bytes are complemented. */
function variableBytes(input: ByteReader, mask: number): Uint8Array {
  const bytes: number[] = [];
  for (;;) {
    const byte = input.u8();
    bytes.push(byte);
    if ((byte ^ mask) !== ESCAPE) continue;
    const next = input.u8();
    bytes.push(next);
    if ((next ^ mask) === END) return Uint8Array.from(bytes);
  }
}

function complement(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => ~byte);
}

/** Byte order reversed: the writer is little-endian, keys are big-endian. */
function swapped(value: number): number {
  return ((value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24)) >>> 0;
}

function writeHighFirst(out: ByteWriter, value: bigint): void {
  out.u32(swapped(Number(BigInt.asUintN(32, value >> 32n))));
  out.u32(swapped(Number(BigInt.asUintN(32, value))));
}

function readHighFirst(input: ByteReader): bigint {
  const high = swapped(input.u32());
  return (BigInt(high) << 32n) | BigInt(swapped(input.u32()));
}
