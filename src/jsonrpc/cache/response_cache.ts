import { backslash, colon, nine, quote, zero } from '../../codec/json_scanner.ts';
import { defaultDialect, successResponse } from '../envelope/dialect.ts';
import type { MethodCounts } from '../limits/method_times.ts';

/** The result of a call in the default dialect. */
export interface CachedResult {
  /** Text of the result. */
  readonly result: string;
  /** The version of the committed state that the result is from. */
  readonly version: number;
  /** The counters of its method. */
  readonly counts: MethodCounts;
  /** The head that the response shows, as JSON text. */
  readonly head?: string | undefined;
}

/**
 * Responses to calls that were scanned before, found by the bytes of the call. A polling client sends the same body
 * again and again, with only the id changed. When the bytes around a plain id equal those of a call that was scanned,
 * neither is the body scanned again nor the response written: 0.3 µs instead of 1.5 (bench/rpc/reads.ts).
 */
export class ResponseCache {
  readonly #known: (CachedResponse | undefined)[] = Array.from({ length: SLOTS });
  readonly #idBytes: number;
  // Positions in the body that was looked at last.
  #idStart = 0;
  #idEnd = 0;
  #slot = 0;

  constructor(idBytes: number) {
    this.#idBytes = idBytes;
  }

  /** The response to a call of these bytes with any id, whatever version its result is from. */
  find(body: Uint8Array): CachedResponse | undefined {
    if (body.length > LONGEST_BODY || !this.#locate(body)) return undefined;
    const known = this.#known[this.#slot];
    return known?.matches(body, this.#idStart, this.#idEnd) === true ? known : undefined;
  }

  /**
   * The response with the id of the body for which `find` has just returned this response. The bytes change with the
   * next call.
   */
  answer(known: CachedResponse, body: Uint8Array): Uint8Array {
    return known.answerWith(body, this.#idStart, this.#idEnd);
  }

  /** Remembers the result for a body that is a single call with an id, whose source text starts at `idStart`. */
  keep(body: Uint8Array, idStart: number, answer: CachedResult): void {
    if (body.length > LONGEST_BODY || answer.result.length > LONGEST_RESULT || !this.#locate(body)) return;
    // The id that was located may be a member of the params.
    if (this.#idStart === idStart)
      this.#known[this.#slot] = new CachedResponse(body, idStart, this.#idEnd, this.#idBytes, answer);
  }

  /** Looks for `"id":` followed by a plain value, and computes the slot number from all bytes around the id. */
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

/** A call, and the response to it, which differs in nothing but the id. */
export class CachedResponse {
  readonly version: number;
  readonly counts: MethodCounts;
  readonly #body: Uint8Array;
  readonly #idStart: number;
  readonly #idEnd: number;
  /** The response up to its id, and room for the rest. */
  readonly #answer: Buffer;
  readonly #answerIdStart: number;
  readonly #behind: Buffer;
  /** The part of `#answer` that was returned last: the ids of a client almost always have the same length. */
  #returned: Uint8Array;

  constructor(
    body: Uint8Array,
    idStart: number,
    idEnd: number,
    idBytes: number,
    { result, version, counts, head }: CachedResult,
  ) {
    this.version = version;
    this.counts = counts;
    this.#body = Uint8Array.from(body);
    this.#idStart = idStart;
    this.#idEnd = idEnd;
    const [before = '', behind = ''] = successResponse(defaultDialect, result, NO_JSON, head).split(NO_JSON);
    this.#behind = Buffer.from(behind);
    this.#answerIdStart = Buffer.byteLength(before);
    this.#answer = Buffer.allocUnsafeSlow(this.#answerIdStart + idBytes + this.#behind.length);
    this.#answer.write(before);
    this.#returned = this.#answer;
  }

  /** Returns whether the body is this call except for its id, which runs from `idStart` to `idEnd`. */
  matches(body: Uint8Array, idStart: number, idEnd: number): boolean {
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
    if (this.#returned.length !== end) this.#returned = bytes.subarray(0, end);
    return this.#returned;
  }
}

/** A character that never occurs in a JSON text. */
const NO_JSON = '\u0000';

const letterI = 0x69;
const letterD = 0x64;

/**
 * A power of two: the calls polled within one block. A call without a slot is still answered from the result
 * (result_cache.ts).
 */
const SLOTS = 1024;
/** The length of a call with params that many clients send; comparing a longer one takes as long as scanning it. */
const LONGEST_BODY = 512;
/** In characters; all slots together hold at most 17 MiB. */
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

/** Returns the end of a plain id, a natural number or a text without escapes; `start` when it is neither. */
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
  // A JSON number has no leading zero, and one that goes on is no plain id.
  return (first === zero && at > start + 1) || continuesNumber(body[at]) ? start : at;
}

/** Returns whether a number has a fraction or an exponent. */
function continuesNumber(byte: number | undefined): boolean {
  return byte === 0x2e || byte === 0x65 || byte === 0x45;
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
    const word =
      (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
    hash = (Math.imul(hash, FNV_PRIME) + word) | 0;
  }
  for (; at < end; at++) hash = (Math.imul(hash, FNV_PRIME) + (bytes[at] ?? 0)) | 0;
  return hash;
}

/** The prime of the 32-bit Fowler–Noll–Vo hash. */
const FNV_PRIME = 0x01000193;
