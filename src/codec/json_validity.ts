/** The result of reading a text leniently, and the position reached. */
export interface SloppyReading {
  /** `incomplete`: a value was read, but not to the end of the text, or the text is empty. */
  readonly verdict: 'valid' | 'incomplete' | 'malformed';
  readonly end: number;
}

const END_OF_TRANSMISSION = '\u0004'; // makes a string invalid in the lineage
const [SPACE, TAB, LINE_FEED, CARRIAGE_RETURN] = [0x20, 0x09, 0x0a, 0x0d];
const LAST_OF_ONE_BYTE = 0x7f; // in UTF-8
const NUMBER = /-?[0-9.]*/y;
const LITERAL = /[aeflnrstu]*/y;
const TOKEN = /[0-9A-Za-z_\-.:/]*/y;
const ALPHANUMERIC = /[0-9A-Za-z]/;
const AFTER_TOKEN = ' \t\n\0'; // one of these belongs to the token before it

/**
 * Reads a text as the lineage's JSON reader does, to decide whether it counts as JSON: commas are optional, numbers may
 * continue as words, and words that begin like `null`, `true` or `false` are strings. A text is valid if it is one such
 * value with nothing after it, not even a blank (wire_format.md#json-texts). Transactions on the chain were accepted by
 * these rules, so they are consensus.
 */
export function readSloppyJson(text: string): SloppyReading {
  if (text === '') return { verdict: 'incomplete', end: 0 };
  const reader = new SloppyReader(text);
  const isRead = reader.readValue();
  if (!isRead) return { verdict: 'malformed', end: reader.position };
  return { verdict: reader.position === text.length ? 'valid' : 'incomplete', end: reader.position };
}

/** Reads without recursion, because nesting may be as deep as the text is long. */
class SloppyReader {
  readonly #text: string;
  readonly #holdsEnd: boolean;
  /** The first backslash that is not before the position; Infinity if there is none. Searched for when it is passed. */
  #backslash = -1;
  position = 0;

  constructor(text: string) {
    this.#text = text;
    this.#holdsEnd = text.includes(END_OF_TRANSMISSION);
  }

  /** True when there is a complete value here; `position` is then after it, otherwise at the error. */
  readValue(): boolean {
    const open: ('{' | '[')[] = [];
    do {
      this.#skipBlanks();
      const first = this.#text.charAt(this.position);
      if (first === '{' || first === '[') {
        this.position++;
        open.push(first);
      } else if (!this.#readScalar(first)) {
        return false;
      }
      if (!this.#goToNextValue(open)) return false;
    } while (open.length > 0);
    return true;
  }

  /** Closes the objects and arrays that end here and stops before the next value in those still open. */
  #goToNextValue(open: ('{' | '[')[]): boolean {
    for (let inside = open.at(-1); inside !== undefined; inside = open.at(-1)) {
      this.#skipBlanks();
      const next = this.#text.charAt(this.position);
      if (next === ',') {
        this.position++;
      } else if (next === (inside === '{' ? '}' : ']')) {
        this.position++;
        open.pop();
      } else {
        return inside === '[' || this.#readKey();
      }
    }
    return true;
  }

  #readKey(): boolean {
    if (!this.#readQuoted()) return false;
    this.#skipBlanks();
    if (this.#text.charAt(this.position) !== ':') return false;
    this.position++;
    return true;
  }

  /** Strings are most of a document, so their ends are searched for, not looked at character by character. */
  #readQuoted(): boolean {
    const text = this.#text;
    if (text.charAt(this.position) !== '"') return false;
    let quote = -1;
    for (let from = this.position + 1; ;) {
      if (quote < from) quote = text.indexOf('"', from);
      if (quote < 0) return false;
      const backslash = this.#backslashFrom(from);
      if (this.#holdsEnd && text.slice(from, Math.min(quote, backslash)).includes(END_OF_TRANSMISSION)) return false;
      if (quote < backslash) {
        this.position = quote + 1;
        return true;
      }
      from = backslash + 2;
    }
  }

  #backslashFrom(position: number): number {
    if (this.#backslash >= position) return this.#backslash;
    const found = this.#text.indexOf('\\', position);
    this.#backslash = found < 0 ? Infinity : found;
    return this.#backslash;
  }

  #readScalar(first: string): boolean {
    if (first === '"') return this.#readQuoted();
    if (/[-.0-9]/.test(first)) return this.#readNumber();
    if (/[ntf]/.test(first)) return this.#readWord();
    return false;
  }

  /** A number; if a letter follows, it is an unquoted string. */
  #readNumber(): boolean {
    const number = this.#skip(NUMBER);
    if (number.indexOf('.') !== number.lastIndexOf('.')) return false;
    if (!ALPHANUMERIC.test(this.#text.charAt(this.position))) return isRepresentable(number);
    this.#skipToken();
    return true;
  }

  #readWord(): boolean {
    const word = this.#skip(LITERAL);
    const isOver = this.position === this.#text.length || word === 'null' || word === 'true' || word === 'false';
    if (!isOver) this.#skipToken();
    return true;
  }

  #skipToken(): void {
    this.#skip(TOKEN);
    while (this.#text.charAt(this.position) === '\\') {
      // An escaped byte belongs to the token; the text may also end in a backslash.
      this.position++;
      if (this.position === this.#text.length) return;
      // The lineage reads bytes, and the second one of a character ends the token and begins nothing.
      if (this.#text.charCodeAt(this.position) > LAST_OF_ONE_BYTE) return;
      this.position++;
      this.#skip(TOKEN);
    }
    if (this.position < this.#text.length && AFTER_TOKEN.includes(this.#text.charAt(this.position))) this.position++;
  }

  #skipBlanks(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.position);
      if (code !== SPACE && code !== TAB && code !== LINE_FEED && code !== CARRIAGE_RETURN) return;
      this.position++;
    }
  }

  /** Skips what the pattern matches here, and returns it. */
  #skip(pattern: RegExp): string {
    const start = this.position;
    pattern.lastIndex = start;
    if (pattern.test(this.#text)) this.position = pattern.lastIndex;
    return this.#text.slice(start, this.position);
  }
}

const LONGEST_INTEGER = 20; // digits of 2⁶⁴
const SHORT_INTEGER = 18; // digits that always fit, with any sign
const LARGEST_UNSIGNED = 2n ** 64n - 1n;
const LARGEST_NEGATIVE = 2n ** 63n;
const LONGEST_WHOLE = 309; // digits of the largest double
const TOO_LARGE_FOR_DOUBLE = (2n ** 54n - 1n) * 2n ** 970n; // from here on a double rounds to infinity

/** True when the lineage can hold the number: in 64 bits, or in a double when it has a dot. */
function isRepresentable(number: string): boolean {
  const isNegative = number.startsWith('-');
  const digits = isNegative ? number.slice(1) : number;
  const [whole = '', fraction] = digits.split('.');
  const significant = whole.replace(/^0+/, '');
  if (fraction === undefined) {
    if (whole === '' || significant.length > LONGEST_INTEGER) return false;
    if (significant.length <= SHORT_INTEGER) return true;
    return BigInt(significant) <= (isNegative ? LARGEST_NEGATIVE : LARGEST_UNSIGNED);
  }
  if (whole === '' && fraction === '') return false;
  if (significant.length < LONGEST_WHOLE) return true;
  return significant.length === LONGEST_WHOLE && BigInt(significant) < TOO_LARGE_FOR_DOUBLE;
}
