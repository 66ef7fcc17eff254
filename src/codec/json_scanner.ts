import { assert } from '../base/assert.ts';
import { refuseJson } from './json_refusals.ts';

/** Maximum nesting of a JSON text; the deepest call of the interface needs 12 levels. */
const defaultDepthLimit = 32;

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
export const quote = 0x22;
const plus = 0x2b;
export const comma = 0x2c;
export const minus = 0x2d;
const dot = 0x2e;
export const zero = 0x30;
export const nine = 0x39;
export const colon = 0x3a;
const upperE = 0x45;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const backslash = 0x5c;
const lowerE = 0x65;
const lowerU = 0x75;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
/** Marks the end of the text: there is no byte here. */
const over = -1;

/** Integers with at most this many digits are below 2^53 and survive JSON.parse. */
const digitsOfExactDouble = 15;

const literals = new Map([
  [0x74, asciiBytes('true')],
  [0x66, asciiBytes('false')],
  [0x6e, asciiBytes('null')],
]);

/** 1 for the bytes that need no special handling inside a string. */
export const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= space && byte < 0x80 && byte !== quote && byte !== backslash),
);

/** A scanned value: its position in the text, and what the scanner found out about it. */
export interface ScannedValue {
  readonly start: number;
  readonly end: number;
  readonly members: number;
  /** All values within it, itself included. */
  readonly values: number;
  readonly inexact: boolean;
  readonly beyondAscii: boolean;
}

/**
 * Scans one JSON value (RFC 8259) without building it, and refuses anything that is not strict JSON: structure, depth,
 * escapes, lone surrogates, UTF-8. One scanner can be used for many texts, one after another; the text is never copied.
 */
export class JsonScanner {
  readonly depthLimit: number;
  /** Number of members of all objects in the value last skipped. */
  members = 0;
  /** Number of all values in the value last skipped, itself included. */
  values = 0;
  /** The value last skipped contains a number that JSON.parse would not reproduce exactly. */
  inexact = false;
  /** The value last skipped contains non-ASCII bytes. */
  beyondAscii = false;
  /** For each open level, the byte that closes it. */
  readonly #closers: Uint8Array;

  constructor(depthLimit: number = defaultDepthLimit) {
    assert(Number.isSafeInteger(depthLimit) && depthLimit > 0 && depthLimit <= 1024, 'a depth limit is 1..1024');
    this.depthLimit = depthLimit;
    this.#closers = new Uint8Array(depthLimit + 1);
  }

  /**
   * Skips white space and one value from `start`, inside `level` levels that are already open, and returns
   * the position after its last byte. Nothing at or beyond `end` is read.
   */
  skipValue(bytes: Uint8Array, start: number, end: number, level = 0): number {
    this.members = 0;
    let values = 0;
    this.inexact = false;
    this.beyondAscii = false;
    const closers = this.#closers;
    let depth = level;
    let at = start;
    for (;;) {
      values++;
      at = skipSpace(bytes, at, end);
      const first = at < end ? (bytes[at] ?? over) : over;
      if (first === openBrace || first === openBracket) {
        if (++depth > this.depthLimit) refuseJson.json_too_deep({ limit: this.depthLimit, at });
        const closer = first + 2;
        closers[depth] = closer;
        at = skipSpace(bytes, at + 1, end);
        if (at < end && bytes[at] === closer) {
          depth--;
          at++;
        } else {
          if (closer === closeBrace) at = this.#memberName(bytes, at, end);
          continue;
        }
      } else if (first === quote) at = this.skipString(bytes, at, end);
      else if (first === minus || (first >= zero && first <= nine)) at = this.#skipNumber(bytes, at, end);
      else at = skipLiteral(bytes, at, end);

      for (;;) {
        if (depth === level) {
          this.values = values;
          return at;
        }
        at = skipSpace(bytes, at, end);
        const next = at < end ? (bytes[at] ?? over) : over;
        const closer = closers[depth] ?? over;
        if (next === comma) {
          at = closer === closeBrace ? this.#memberName(bytes, skipSpace(bytes, at + 1, end), end) : at + 1;
          break;
        }
        if (next !== closer) unexpected(at, end, closer === closeBrace ? '"," or "}"' : '"," or "]"');
        depth--;
        at++;
      }
    }
  }

  /** Like `skipValue`, but returns everything found out about the value. */
  scanValue(bytes: Uint8Array, start: number, end: number, level = 0): ScannedValue {
    const after = this.skipValue(bytes, start, end, level);
    return {
      start,
      end: after,
      members: this.members,
      values: this.values,
      inexact: this.inexact,
      beyondAscii: this.beyondAscii,
    };
  }

  /** Skips the string whose opening quote is at `start`. */
  skipString(bytes: Uint8Array, start: number, end: number): number {
    let at = start + 1;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      if (plain[byte] === 1) at++;
      else if (byte === quote) return at + 1;
      else if (byte === backslash) at = skipEscape(bytes, at, end);
      else if (byte < space) refuseJson.json_control_character({ at });
      else {
        this.beyondAscii = true;
        at = skipUtf8(bytes, at, end);
      }
    }
    return unexpected(at, end, 'the end of a string');
  }

  #memberName(bytes: Uint8Array, start: number, end: number): number {
    if (start >= end || bytes[start] !== quote) unexpected(start, end, 'the name of a member in quotes');
    const at = skipSpace(bytes, this.skipString(bytes, start, end), end);
    if (at >= end || bytes[at] !== colon) unexpected(at, end, '":"');
    this.members++;
    return at + 1;
  }

  #skipNumber(bytes: Uint8Array, start: number, end: number): number {
    const negative = bytes[start] === minus;
    const first = negative ? start + 1 : start;
    let at = skipDigits(bytes, first, end);
    if (at === first) unexpected(at, end, 'a digit');
    if (bytes[first] === zero) {
      if (at > first + 1) unexpected(first + 1, end, 'no digit after a leading zero');
      if (negative) this.inexact = true; // −0 is read as 0
    }
    if (at - first > digitsOfExactDouble) this.inexact = true;
    if (at < end && bytes[at] === dot) {
      const fraction = at + 1;
      at = skipDigits(bytes, fraction, end);
      if (at === fraction) unexpected(at, end, 'a digit');
    }
    if (at < end && (bytes[at] === lowerE || bytes[at] === upperE)) {
      this.inexact = true; // may overflow
      const sign = at + 1 < end && (bytes[at + 1] === plus || bytes[at + 1] === minus) ? 1 : 0;
      const exponent = at + 1 + sign;
      at = skipDigits(bytes, exponent, end);
      if (at === exponent) unexpected(at, end, 'a digit');
    }
    return at;
  }
}

/** The position of the first byte from `start` that is not JSON white space. */
export function skipSpace(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at] ?? 0;
    if (byte > space || (byte !== space && byte !== lineFeed && byte !== carriageReturn && byte !== tab)) break;
    at++;
  }
  return at;
}

/** Refuses a text that continues after its value, which ended at `start`. */
export function expectEnd(bytes: Uint8Array, start: number, end: number): void {
  const at = skipSpace(bytes, start, end);
  if (at < end) refuseJson.json_trailing({ at });
}

function skipDigits(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at] ?? 0;
    if (byte < zero || byte > nine) break;
    at++;
  }
  return at;
}

function skipLiteral(bytes: Uint8Array, start: number, end: number): number {
  const literal = start < end ? literals.get(bytes[start] ?? over) : undefined;
  if (literal === undefined) return unexpectedValue(bytes, start, end);
  for (let k = 1; k < literal.length; k++) {
    if (start + k >= end || bytes[start + k] !== literal[k]) unexpected(start + k, end, 'true, false or null');
  }
  return start + literal.length;
}

function skipEscape(bytes: Uint8Array, start: number, end: number): number {
  if (start + 1 >= end) unexpected(start + 1, end, 'the end of a string');
  const letter = bytes[start + 1] ?? 0;
  if (letter !== lowerU) {
    if (!'"\\/bfnrt'.includes(String.fromCharCode(letter))) refuseJson.json_invalid_escape({ at: start });
    return start + 2;
  }
  const unit = readHex4(bytes, start + 2, end);
  if (unit < 0xd800 || unit > 0xdfff) return start + 6;
  const next = start + 6;
  const paired = unit < 0xdc00 && next + 1 < end && bytes[next] === backslash && bytes[next + 1] === lowerU;
  const low = paired ? readHex4(bytes, next + 2, end) : 0;
  if (low < 0xdc00 || low > 0xdfff) refuseJson.json_lone_surrogate({ at: start });
  return start + 12;
}

function readHex4(bytes: Uint8Array, start: number, end: number): number {
  let unit = 0;
  for (let at = start; at < start + 4; at++) {
    const byte = at < end ? (bytes[at] ?? over) : over;
    const lower = byte | 0x20;
    const digit = byte >= zero && byte <= nine ? byte - zero : lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : over;
    if (digit === over) refuseJson.json_invalid_escape({ at: start - 2 });
    unit = unit * 16 + digit;
  }
  return unit;
}

/** Skips one non-ASCII character by the table of well-formed UTF-8 (Unicode 15, table 3-7). */
function skipUtf8(bytes: Uint8Array, start: number, end: number): number {
  const lead = bytes[start] ?? 0;
  const length =
    lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  if (length === 0 || start + length > end) refuseJson.json_invalid_utf8({ at: start });
  const second = bytes[start + 1] ?? 0;
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) refuseJson.json_invalid_utf8({ at: start });
  for (let at = start + 2; at < start + length; at++) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) refuseJson.json_invalid_utf8({ at: start });
  }
  return start + length;
}

function unexpectedValue(bytes: Uint8Array, at: number, end: number): never {
  if (at + 2 < end && bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf)
    refuseJson.json_byte_order_mark({ at });
  return unexpected(at, end, 'a value');
}

/** Refuses the byte at `at`, or the end of the text there. */
export function unexpected(at: number, end: number, expected: string): never {
  if (at >= end) return refuseJson.json_unfinished({ at: end, expected });
  return refuseJson.json_unexpected({ at, expected });
}

function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
