import { assert } from '../base/assert.ts';
import { Refusal } from '../base/refusal.ts';
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  minus,
  nine,
  openBrace,
  openBracket,
  JsonScanner,
  plain,
  quote,
  skipSpace,
  zero,
} from './json_scanner.ts';

/** Integers with at most this many digits are below 2^53. */
const MOST_DIGITS = 15;

const scanner = new JsonScanner();

/** The position after a string, by the strict rules; undefined if it is invalid. */
function endOfText(bytes: Uint8Array, start: number, end: number): number | undefined {
  try {
    return scanner.skipString(bytes, start, end);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const trueBytes = Buffer.from('true');
const falseBytes = Buffer.from('false');

/**
 * Reads JSON text in its usual form, member by member, without building values. Every step returns whether the text is
 * plain there: no fractions or exponents and, except for `anyText`, no escapes or non-ASCII bytes. Anything else, valid
 * or not, is left to `readJson`. A text that was read to its end is strict JSON (RFC 8259).
 */
export class PlainJson {
  readonly bytes: Buffer;
  readonly #end: number;
  #at = 0;
  /** No member or element of the open object or array has been read yet. */
  #isFirst = true;
  /** Position of the string that was read last, without its quotes. */
  textStart = 0;
  textEnd = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.length;
  }

  openObject(): boolean {
    return this.#open(openBrace);
  }

  /** Skips the name of the next member if it is this one, given as bytes with its quotes. */
  member(quotedName: Uint8Array): boolean {
    const { bytes } = this;
    let at = skipSpace(bytes, this.#at, this.#end);
    if (!this.#isFirst) {
      if (bytes[at] !== comma) return false;
      at = skipSpace(bytes, at + 1, this.#end);
    }
    const { length } = quotedName;
    // Backwards, because names differ more often at the end.
    if (at + length >= this.#end) return false;
    for (let k = length - 1; k >= 0; k--) if (bytes[at + k] !== quotedName[k]) return false;
    at = skipSpace(bytes, at + length, this.#end);
    if (bytes[at] !== colon) return false;
    this.#at = at + 1;
    this.#isFirst = false;
    return true;
  }

  closeObject(): boolean {
    return this.#close(closeBrace);
  }

  /** True when the open object ends here; its brace is not skipped. */
  closes(): boolean {
    return this.bytes[skipSpace(this.bytes, this.#at, this.#end)] === closeBrace;
  }

  openArray(): boolean {
    return this.#open(openBracket);
  }

  /** True when an element follows; skips the comma before it. */
  element(): boolean {
    const at = skipSpace(this.bytes, this.#at, this.#end);
    const next = this.bytes[at];
    this.#at = at;
    if (this.#isFirst) {
      this.#isFirst = false;
      return next !== closeBracket;
    }
    if (next !== comma) return false;
    this.#at = at + 1;
    return true;
  }

  closeArray(): boolean {
    return this.#close(closeBracket);
  }

  /** Skips a string and notes its position. */
  text(): boolean {
    const { bytes } = this;
    const end = this.#end;
    const start = skipSpace(bytes, this.#at, end) + 1;
    if (start > end || bytes[start - 1] !== quote) return false;
    let at = start;
    while (at < end && plain[bytes[at] ?? 0] === 1) at++;
    if (at >= end || bytes[at] !== quote) return false;
    this.textStart = start;
    this.textEnd = at;
    this.#at = at + 1;
    return true;
  }

  /** Reads a string that may contain escapes and non-ASCII characters; undefined if there is none. */
  anyText(): string | undefined {
    const start = skipSpace(this.bytes, this.#at, this.#end);
    if (start >= this.#end || this.bytes[start] !== quote) return undefined;
    const after = endOfText(this.bytes, start, this.#end);
    if (after === undefined) return undefined;
    this.#at = after;
    const text: unknown = JSON.parse(this.bytes.toString('utf8', start, after));
    assert(typeof text === 'string', 'what stands in quotes is a text');
    return text;
  }

  /** The string that was read last. */
  lastText(): string {
    return this.bytes.toString('latin1', this.textStart, this.textEnd);
  }

  /** An unsigned integer of at most 15 digits; −1 if there is none. */
  unsigned(): number {
    const { bytes } = this;
    const start = skipSpace(bytes, this.#at, this.#end);
    let value = 0;
    let at = start;
    for (; at < this.#end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte < zero || byte > nine) break;
      value = value * 10 + byte - zero;
    }
    const digits = at - start;
    if (digits === 0 || digits > MOST_DIGITS || (digits > 1 && bytes[start] === zero)) return -1;
    this.#at = at;
    return value;
  }

  /** A signed integer of at most 15 digits; undefined if there is none. */
  integer(): number | undefined {
    const isNegative = this.#take(minus);
    const isSpaced = isNegative && skipSpace(this.bytes, this.#at, this.#end) !== this.#at;
    const value = this.unsigned();
    // −0 reads as 0, which is left to `readJson`.
    if (isSpaced || value < 0 || (isNegative && value === 0)) return undefined;
    return isNegative ? -value : value;
  }

  /** Reads `true` or `false`; undefined if there is neither. */
  boolean(): boolean | undefined {
    const at = skipSpace(this.bytes, this.#at, this.#end);
    const isTrue = this.bytes[at] === trueBytes[0];
    const literal = isTrue ? trueBytes : falseBytes;
    for (const [k, byte] of literal.entries()) if (this.bytes[at + k] !== byte) return undefined;
    this.#at = at + literal.length;
    return isTrue;
  }

  /** True when nothing follows. */
  ends(): boolean {
    return skipSpace(this.bytes, this.#at, this.#end) === this.#end;
  }

  #open(byte: number): boolean {
    this.#isFirst = true;
    return this.#take(byte);
  }

  #close(byte: number): boolean {
    // The enclosing object or array now has this one as a member or element.
    this.#isFirst = false;
    return this.#take(byte);
  }

  #take(byte: number): boolean {
    const at = skipSpace(this.bytes, this.#at, this.#end);
    if (at >= this.#end || this.bytes[at] !== byte) return false;
    this.#at = at + 1;
    return true;
  }
}
