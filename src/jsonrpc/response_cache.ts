import { backslash, colon, nine, quote, zero } from '../codec/json_scanner.ts';
import { defaultDialect } from './dialect.ts';
import type { MethodCounts } from './method_times.ts';

/** What was answered to a call of the default dialect. */
export interface GivenAnswer {
  /** Text of the result. */
  readonly result: string;
  /** Of the committed state that it was found out from. */
  readonly version: number;
  /** Where its method is counted. */
  readonly counts: MethodCounts;
}

/**
 * Calls that were understood before, found by their bytes. Whoever polls sends the same body again and again, and only the id
 * differs. Bytes that stand around a plain id as they stood around the id of a call that was scanned are read as they were, so
 * neither is the body scanned nor the answer written: 0.3 µs instead of 1.5 (bench/rpc/reads.ts).
 */
export class ResponseCache {
  readonly #known: (RepeatedCall | undefined)[] = Array.from({ length: SLOTS });
  readonly #idBytes: number;
  // Of the body that was looked at last.
  #idStart = 0;
  #idEnd = 0;
  #slot = 0;

  constructor(idBytes: number) {
    this.#idBytes = idBytes;
  }

  /** The call that has these bytes and any id, answered at whatever version. */
  find(body: Uint8Array): RepeatedCall | undefined {
    if (body.length > LONGEST_BODY || !this.#locate(body)) return undefined;
    const known = this.#known[this.#slot];
    return known?.isIn(body, this.#idStart, this.#idEnd) === true ? known : undefined;
  }

  /** The answer with the id of the body for which `find` has just given this call. The bytes change when it is asked for again. */
  answer(known: RepeatedCall, body: Uint8Array): Uint8Array {
    return known.answerWith(body, this.#idStart, this.#idEnd);
  }

  /** Remembers what was answered to a body that holds nothing but a call with an id, whose source text starts at `idStart`. */
  keep(body: Uint8Array, idStart: number, answer: GivenAnswer): void {
    if (body.length > LONGEST_BODY || answer.result.length > LONGEST_RESULT || !this.#locate(body)) return;
    // The id that was found may be a member of the params.
    if (this.#idStart === idStart) this.#known[this.#slot] = new RepeatedCall(body, idStart, this.#idEnd, this.#idBytes, answer);
  }

  /** Looks for `"id":` with a plain value behind it, and makes the number of a slot from all bytes around that. */
  #locate(body: Uint8Array): boolean {
    const start = isIdStart(body, this.#idStart) ? this.#idStart : firstIdStart(body);
    const end = plainIdEnd(body, start);
    this.#idStart = start;
    this.#idEnd = end;
    if (end === start || end - start > this.#idBytes) return false;
    const hash = hashed(body, end, body.length, hashed(body, 0, start, 0));
    this.#slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    return true;
  }
}

/** A call whose answer is known. */
export class RepeatedCall {
  readonly version: number;
  readonly counts: MethodCounts;
  readonly #body: Uint8Array;
  readonly #idStart: number;
  readonly #idEnd: number;
  /** The answer up to its id, and room for the rest. */
  readonly #answer: Buffer;
  readonly #answerIdStart: number;
  readonly #behind: Buffer;
  /** The part of `#answer` that was given last: the ids of a client are as good as always of one length. */
  #given: Uint8Array;

  constructor(body: Uint8Array, idStart: number, idEnd: number, idBytes: number, { result, version, counts }: GivenAnswer) {
    this.version = version;
    this.counts = counts;
    this.#body = Uint8Array.from(body);
    this.#idStart = idStart;
    this.#idEnd = idEnd;
    const [before = '', behind = ''] = defaultDialect.success(result, NO_JSON).split(NO_JSON);
    this.#behind = Buffer.from(behind);
    this.#answerIdStart = Buffer.byteLength(before);
    this.#answer = Buffer.allocUnsafeSlow(this.#answerIdStart + idBytes + this.#behind.length);
    this.#answer.write(before);
    this.#given = this.#answer;
  }

  /** Whether the body is this call but for its id, which stands from `idStart` to `idEnd`. */
  isIn(body: Uint8Array, idStart: number, idEnd: number): boolean {
    const known = this.#body;
    const shift = idEnd - this.#idEnd;
    if (idStart !== this.#idStart || body.length - known.length !== shift) return false;
    for (let at = 0; at < idStart; at++) if (body[at] !== known[at]) return false;
    for (let at = this.#idEnd; at < known.length; at++) if (body[at + shift] !== known[at]) return false;
    return true;
  }

  answerWith(body: Uint8Array, idStart: number, idEnd: number): Uint8Array {
    const bytes = this.#answer;
    const behind = this.#behind;
    let end = this.#answerIdStart;
    for (let at = idStart; at < idEnd; at++) bytes[end++] = body[at] ?? 0;
    for (let at = 0; at < behind.length; at++) bytes[end++] = behind[at] ?? 0;
    if (this.#given.length !== end) this.#given = bytes.subarray(0, end);
    return this.#given;
  }
}

/** A character that stands nowhere in a JSON text. */
const NO_JSON = '\u0000';

const letterI = 0x69;
const letterD = 0x64;

/** A power of two: calls that are polled in one block. Whoever finds no place is still answered from the result (result_cache.ts). */
const SLOTS = 1024;
/** A call with params that many ask for; to compare a longer one takes as long as to scan it. */
const LONGEST_BODY = 512;
/** In characters; all slots together hold 17 MiB, if everything is polled that is as long as that. */
const LONGEST_RESULT = 16 * 1024;

function isIdStart(body: Uint8Array, at: number): boolean {
  return (
    at >= 5 &&
    body[at - 1] === colon &&
    body[at - 2] === quote &&
    body[at - 3] === letterD &&
    body[at - 4] === letterI &&
    body[at - 5] === quote
  );
}

function firstIdStart(body: Uint8Array): number {
  for (let at = 5; at < body.length; at++) if (body[at - 1] === colon && isIdStart(body, at)) return at;
  return body.length;
}

/** Where an id ends that needs no closer look, a natural number or a text without escapes; `start` when it is none. */
function plainIdEnd(body: Uint8Array, start: number): number {
  const end = body.length;
  const first = body[start] ?? 0;
  let at = start + 1;
  if (first === quote) {
    while (at < end && isPlain(body[at] ?? 0)) at++;
    return body[at] === quote ? at + 1 : start;
  }
  if (!isDigit(first)) return start;
  while (at < end && isDigit(body[at] ?? 0)) at++;
  // No number of JSON begins with a zero.
  return first === zero && at > start + 1 ? start : at;
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== quote && byte !== backslash;
}

/** Four bytes at a time, which takes half as long as one by one. */
function hashed(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
    hash = (Math.imul(hash, FNV_PRIME) + word) | 0;
  }
  for (; at < end; at++) hash = (Math.imul(hash, FNV_PRIME) + (bytes[at] ?? 0)) | 0;
  return hash;
}

/** Of the 32-bit hash of Fowler, Noll and Vo. */
const FNV_PRIME = 0x01000193;
