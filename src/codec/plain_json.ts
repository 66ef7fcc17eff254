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

/** Integers with fewer digits are below 2^53. */
const MOST_DIGITS = 15;

const scanner = new JsonScanner();

/** The position behind a text, by the strict rules; undefined when it breaks them. */
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
 * Reads JSON text that is written as nearly everybody writes it, member by member, without building anything. Every step answers
 * whether the text is plain there: without fractions and exponents, and but for `anyText` without escapes and bytes beyond ASCII.
 * Whatever is not, right or wrong, is for `readJson` to judge. A text that was walked over to its end is strictly JSON (RFC 8259).
 */
export class PlainJson {
  readonly bytes: Buffer;
  readonly #end: number;
  #at = 0;
  /** The object or array that is open has had no member or element yet. */
  #isFirst = true;
  /** Where the text stands that was read last, without its quotes. */
  textStart = 0;
  textEnd = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.length;
  }

  openObject(): boolean {
    return this.#open(openBrace);
  }

  /** Steps over the name of the next member when it is this one: in quotes, as bytes. */
  member(quotedName: Uint8Array): boolean {
    const { bytes } = this;
    let at = skipSpace(bytes, this.#at, this.#end);
    if (!this.#isFirst) {
      if (bytes[at] !== comma) return false;
      at = skipSpace(bytes, at + 1, this.#end);
    }
    const { length } = quotedName;
    // From the end: names differ there more often.
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

  openArray(): boolean {
    return this.#open(openBracket);
  }

  /** Whether an element stands next; steps over the comma before it. */
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

  /** Steps over a text and notes where it stands. */
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

  /** Steps over a text that may hold escapes and characters beyond ASCII, and answers it; undefined where none stands. */
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

  /** The text that was read last. */
  lastText(): string {
    return this.bytes.toString('latin1', this.textStart, this.textEnd);
  }

  /** An integer of at most 15 digits, or −1 where none stands. */
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

  /** An integer of at most 15 digits with its sign; undefined where none stands. */
  integer(): number | undefined {
    const isNegative = this.#take(minus);
    const isSpaced = isNegative && skipSpace(this.bytes, this.#at, this.#end) !== this.#at;
    const value = this.unsigned();
    // −0 is 0, and that is for `readJson`.
    if (isSpaced || value < 0 || (isNegative && value === 0)) return undefined;
    return isNegative ? -value : value;
  }

  /** Steps over `true` or `false`; undefined where neither stands. */
  boolean(): boolean | undefined {
    const at = skipSpace(this.bytes, this.#at, this.#end);
    const isTrue = this.bytes[at] === trueBytes[0];
    const literal = isTrue ? trueBytes : falseBytes;
    for (const [k, byte] of literal.entries()) if (this.bytes[at + k] !== byte) return undefined;
    this.#at = at + literal.length;
    return isTrue;
  }

  /** Whether nothing follows. */
  ends(): boolean {
    return skipSpace(this.bytes, this.#at, this.#end) === this.#end;
  }

  #open(byte: number): boolean {
    this.#isFirst = true;
    return this.#take(byte);
  }

  #close(byte: number): boolean {
    // What was open before it has this one as a member.
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
