import { refuseJson } from './json_refusals.ts';
import type { Json } from './json.ts';
import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  openBrace,
  openBracket,
  quote,
  skipSpace,
} from './json_scanner.ts';
import type { JsonScanner } from './json_scanner.ts';

/**
 * The widest integer of the chain has 128 bits, 39 digits; converting a text of a million digits would take a second.
 */
export const MOST_DIGITS = 100;

type Container = Json[] | { [member: string]: Json };

/**
 * Builds the value of a text that a scanner has already validated as JSON, with exact numbers and without duplicate
 * members. Slower than JSON.parse; for texts that JSON.parse would not reproduce exactly, and to name a duplicate
 * member.
 */
export class ExactReader {
  readonly #scanner: JsonScanner;
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #path: (string | number)[] = [];
  #at: number;

  constructor(scanner: JsonScanner, bytes: Buffer, start: number, end: number) {
    this.#scanner = scanner;
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** The value at the current position. The scanner has limited the nesting, and thereby the recursion. */
  read(): Json {
    switch (this.#skipSpace()) {
      case openBrace:
        return this.#object();
      case openBracket:
        return this.#array();
      case quote:
        return this.#string();
      case 0x74:
        this.#at += 4;
        return true;
      case 0x66:
        this.#at += 5;
        return false;
      case 0x6e:
        this.#at += 4;
        return null;
      default:
        return this.#number();
    }
  }

  #object(): Container {
    const object: { [member: string]: Json } = {};
    this.#at++;
    while (this.#skipSpace() !== closeBrace) {
      const at = this.#at;
      const member = this.#string();
      if (Object.hasOwn(object, member)) refuseJson.json_duplicate_member({ member, path: pathText(this.#path), at });
      this.#skipSpace();
      this.#at++;
      this.#path.push(member);
      const value = this.read();
      this.#path.pop();
      // Assigning to `__proto__` would set the prototype; defining it makes it an ordinary member.
      if (member === '__proto__')
        Object.defineProperty(object, member, { value, enumerable: true, configurable: true, writable: true });
      else object[member] = value;
      if (this.#skipSpace() === comma) this.#at++;
    }
    this.#at++;
    return object;
  }

  #array(): Container {
    const array: Json[] = [];
    this.#at++;
    while (this.#skipSpace() !== closeBracket) {
      this.#path.push(array.length);
      array.push(this.read());
      this.#path.pop();
      if (this.#skipSpace() === comma) this.#at++;
    }
    this.#at++;
    return array;
  }

  #string(): string {
    const start = this.#at;
    this.#at = this.#scanner.skipString(this.#bytes, start, this.#end);
    const text = this.#bytes.toString('utf8', start + 1, this.#at - 1);
    return this.#bytes.subarray(start, this.#at).includes(backslash) ? unescape(text) : text;
  }

  #number(): number | bigint {
    const start = this.#at;
    while (this.#at < this.#end && isNumberByte(this.#bytes[this.#at] ?? 0)) this.#at++;
    const text = this.#bytes.toString('latin1', start, this.#at);
    if (/^-?\d+$/.test(text)) return this.#integer(text, start);
    const value = Number(text);
    if (!Number.isFinite(value)) refuseJson.json_number_too_large({ at: start });
    return value === 0 ? 0 : value;
  }

  #integer(text: string, at: number): number | bigint {
    if (text.length > MOST_DIGITS) refuseJson.json_number_too_long({ limit: MOST_DIGITS, at });
    const value = BigInt(text);
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  }

  #skipSpace(): number {
    this.#at = skipSpace(this.#bytes, this.#at, this.#end);
    return this.#bytes[this.#at] ?? 0;
  }
}

/** Replaces the escapes of a JSON string that is known to be valid. */
function unescape(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** One of `0-9 + - . e E`. */
function isNumberByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x65 || byte === 0x45
  );
}

function pathText(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'the outermost object';
  return path.map((step, k) => (typeof step === 'number' ? `[${step}]` : k === 0 ? step : `.${step}`)).join('');
}
