import { isUtf8 } from 'node:buffer';

import { Refusal } from '../base/refusal.ts';

// A separate buffer costs five times as much as a view, and Node's own pool is used up after a few rows.
const SHARED_BYTES = 64 * 1024;
const LARGEST_SHARED = 4 * 1024;
let shared = Buffer.allocUnsafeSlow(SHARED_BYTES);
let sharedUsed = 0;
/** A copy of the bytes that `arrange` puts in order. */
let arranged = Buffer.allocUnsafeSlow(1024);

// Up to about this many characters a loop is faster than calling the buffer's method.
const LONGEST_LOOPED = 16;

/** Scratch space for `ByteReader.mapped`. */
const mappedCharacters = Buffer.allocUnsafeSlow(64);

/** Values of hex digits by their ASCII codes; -1 for all other bytes. */
const HEX_DIGITS = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) {
  HEX_DIGITS[digit.toString(16).charCodeAt(0)] = digit;
  HEX_DIGITS[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

/** A buffer that grows while bytes are appended; integers are little-endian, as everywhere on the wire. */
export class ByteWriter {
  #bytes: Buffer;
  #view: DataView;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes of its memory. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** Discards what was written and keeps the memory. */
  reset(): void {
    this.#length = 0;
  }

  /** Discards what was written behind the first `length` bytes. */
  cutBack(length: number): void {
    this.#length = length;
  }

  /** Returns the written bytes from `start` to `end` as a view that the next write may overwrite. */
  view(start = 0, end = this.#length): Uint8Array {
    return this.#bytes.subarray(start, end);
  }

  /** True when bytes `start` to `end` of others equal the written ones. */
  equals(others: Uint8Array, start: number, end: number): boolean {
    return end - start === this.#length && this.#bytes.compare(others, start, end, 0, this.#length) === 0;
  }

  /** Returns the written bytes as an independent copy. */
  finish(): Uint8Array<ArrayBuffer> {
    const copy = new Uint8Array(this.#length);
    copy.set(this.view());
    return copy;
  }

  /**
   * The written bytes from `start` to `end` as a copy that shares its buffer with other small copies: for short-lived
   * use.
   */
  copy(start = 0, end = this.#length): Uint8Array {
    const size = end - start;
    if (size > LARGEST_SHARED) return new Uint8Array(this.#bytes.subarray(start, end));
    if (shared.length - sharedUsed < size) {
      shared = Buffer.allocUnsafeSlow(SHARED_BYTES);
      sharedUsed = 0;
    }
    this.#bytes.copy(shared, sharedUsed, start, end);
    const copied = new Uint8Array(shared.buffer, sharedUsed, size);
    sharedUsed += size;
    return copied;
  }

  u8(value: number): void {
    const at = this.#advance(1);
    this.#bytes[at] = value;
  }

  u16(value: number): void {
    const at = this.#advance(2);
    this.#view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.#advance(4);
    this.#view.setUint32(at, value, true);
  }

  i64(value: bigint): void {
    const at = this.#advance(8);
    this.#view.setBigInt64(at, value, true);
  }

  u64(value: bigint): void {
    const at = this.#advance(8);
    this.#view.setBigUint64(at, value, true);
  }

  /** Base-128 integer, low seven bits first; `value` is an integer of at most 32 bits. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.u8(rest);
  }

  /** Puts pieces, of which all bytes from `start` on consist, one behind the other in this order. */
  arrange(start: number, starts: readonly number[], ends: readonly number[]): void {
    const bytes = this.#bytes;
    if (arranged.length < this.#length - start) arranged = Buffer.allocUnsafeSlow(2 * (this.#length - start));
    const from = arranged;
    bytes.copy(from, 0, start, this.#length);
    let at = start;
    for (let piece = 0; piece < starts.length; piece++) {
      const begin = (starts[piece] ?? 0) - start;
      const end = (ends[piece] ?? 0) - start;
      if (end - begin > LONGEST_LOOPED) from.copy(bytes, at, begin, end);
      else for (let k = begin; k < end; k++) bytes[at + k - begin] = from[k] ?? 0;
      at += end - begin;
    }
  }

  /** Overwrites the byte at `at`. */
  replace(at: number, byte: number): void {
    this.#bytes[at] = byte;
  }

  /**
   * Writes bytes `start` to `end` of `from`, each mapped by the table; false if the table has -1 (no mapping) for one
   * of them.
   */
  mapped(from: Uint8Array, start: number, end: number, table: Int16Array): boolean {
    const at = this.#advance(end - start);
    const bytes = this.#bytes;
    let all = 0;
    for (let k = start; k < end; k++) {
      const byte = table[from[k] ?? 0] ?? -1;
      all |= byte;
      bytes[at + k - start] = byte;
    }
    return all >= 0;
  }

  /** Decodes ASCII hex digits `start` to `end` of `from`; false if one is not a hex digit or their count is odd. */
  hexDigits(from: Uint8Array, start: number, end: number): boolean {
    const count = (end - start) >>> 1;
    const at = this.#advance(count);
    const bytes = this.#bytes;
    let all = 0;
    for (let k = 0; k < count; k++) {
      const high = HEX_DIGITS[from[start + 2 * k] ?? 0] ?? -1;
      const low = HEX_DIGITS[from[start + 2 * k + 1] ?? 0] ?? -1;
      all |= high | low;
      bytes[at + k] = (high << 4) | low;
    }
    return all >= 0 && count * 2 === end - start;
  }

  bytes(value: Uint8Array): void {
    const at = this.#advance(value.length);
    this.#bytes.set(value, at);
  }

  /** Decodes lower-case hex digits; `hex` must have an even length and only hex digits. */
  hex(hex: string): void {
    const count = hex.length >>> 1;
    const at = this.#advance(count);
    this.#bytes.write(hex, at, count, 'hex');
  }

  /** Text of one-byte characters, without a length prefix. */
  latin1(text: string): void {
    const at = this.#advance(text.length);
    if (text.length > LONGEST_LOOPED) this.#bytes.write(text, at, text.length, 'latin1');
    else for (let index = 0; index < text.length; index++) this.#bytes[at + index] = text.charCodeAt(index);
  }

  /** UTF-8 text, prefixed with its length in bytes; bytes that `ByteReader.text` escaped are restored. */
  text(value: string): void {
    if (!value.isWellFormed()) {
      const raw = unescapeBytes(value);
      this.varint(raw.length);
      this.bytes(raw);
      return;
    }
    const byteLength = Buffer.byteLength(value, 'utf8');
    this.varint(byteLength);
    const at = this.#advance(byteLength);
    this.#bytes.write(value, at, byteLength, 'utf8');
  }

  /**
   * Reserves `count` more bytes and returns their start. The buffer may be reallocated, so callers must get it after
   * this call.
   */
  #advance(count: number): number {
    const start = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) this.#grow();
    return start;
  }

  #grow(): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer, larger.byteOffset, larger.byteLength);
  }
}

/**
 * Reads what a `ByteWriter` wrote. Truncated or malformed input is a Refusal `malformed_bytes` that names the position.
 */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #end: number;
  #position: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#position = start;
    this.#end = end;
  }

  get position(): number {
    return this.#position;
  }

  get remaining(): number {
    return this.#end - this.#position;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#advance(8), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  /** Low 32 bits of a base-128 integer of at most five bytes; overlong forms are accepted, as in the lineage. */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    return this.refuse('a variable-length integer is longer than five bytes');
  }

  /** The next `count` bytes as a view of the input. */
  bytes(count: number): Uint8Array {
    const start = this.#advance(count);
    return this.#bytes.subarray(start, start + count);
  }

  /** Passes the next `count` bytes. */
  skip(count: number): void {
    this.#advance(count);
  }

  hex(count: number): string {
    const start = this.#advance(count);
    return this.#bytes.toString('hex', start, start + count);
  }

  latin1(count: number): string {
    const start = this.#advance(count);
    return this.#bytes.toString('latin1', start, start + count);
  }

  /**
   * The next `count` bytes, each mapped by the table, as one-byte characters; reads nothing if the table has 0 for one
   * of them.
   */
  mapped(count: number, table: Uint8Array): string | undefined {
    if (count > this.remaining || count > mappedCharacters.length) return undefined;
    for (let k = 0; k < count; k++) {
      const character = table[this.#bytes[this.#position + k] ?? 0] ?? 0;
      if (character === 0) return undefined;
      mappedCharacters[k] = character;
    }
    this.#position += count;
    return mappedCharacters.toString('latin1', 0, count);
  }

  /**
   * Length-prefixed text. The wire does not guarantee UTF-8, and a text must be written as the same bytes that were
   * read: so each byte that is not part of valid UTF-8 becomes a lone surrogate U+DC80..U+DCFF, which `isWellFormed`
   * detects.
   */
  text(): string {
    const count = this.varint();
    const start = this.#advance(count);
    const value = this.#bytes.toString('utf8', start, start + count);
    return value.includes('\uFFFD') ? escapeBytes(this.#bytes.subarray(start, start + count)) : value;
  }

  /** Refuses trailing bytes. */
  expectEnd(): void {
    if (this.remaining !== 0) this.refuse(`${this.remaining} bytes follow the value`);
  }

  refuse(reason: string): never {
    throw new Refusal('malformed_bytes', `malformed bytes at position ${this.#position}: ${reason}`);
  }

  #advance(count: number): number {
    const start = this.#position;
    if (start + count > this.#end) this.refuse(`${count} bytes wanted, ${this.remaining} are left`);
    this.#position = start + count;
    return start;
  }
}

/** The signed 32-bit integer at `at`; little-endian. */
export function readWord(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

/** The bytes of a text as `ByteWriter.text` writes them, without the length prefix. */
export function textBytes(value: string): Uint8Array {
  return value.isWellFormed() ? Buffer.from(value, 'utf8') : unescapeBytes(value);
}

/** The number of these bytes. */
export function textByteCount(value: string): number {
  return value.isWellFormed() ? Buffer.byteLength(value) : unescapeBytes(value).length;
}

/** The text that `ByteReader.text` reads from these bytes. */
export function textOfBytes(bytes: Buffer): string {
  return escapeBytes(bytes);
}

function escapeBytes(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    text += length === 0 ? String.fromCharCode(0xdc00 + bytes.readUInt8(at)) : bytes.toString('utf8', at, at + length);
    at += Math.max(length, 1);
  }
  return text;
}

/** The length of the valid UTF-8 character at `at`, in bytes; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes.readUInt8(at);
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const slice = bytes.subarray(at, at + length);
  return slice.length === length && isUtf8(slice) ? length : 0;
}

function unescapeBytes(text: string): Buffer {
  const parts = Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    return character.length === 1 && code >= 0xdc80 && code <= 0xdcff
      ? Buffer.of(code - 0xdc00)
      : Buffer.from(character, 'utf8');
  });
  return Buffer.concat(parts);
}
