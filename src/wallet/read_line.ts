import { refusals } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';

const refuse = refusals({
  line_unfinished: 'the line ends where {expected} was expected',
  line_unexpected: '{expected} expected at character {at}',
  line_too_deep: 'more than {limit} levels of brackets',
});

/** One word of a line: a text, or JSON written in brackets. */
export type Word =
  | { readonly kind: 'bare' | 'quoted'; readonly text: string }
  | { readonly kind: 'json'; readonly json: Json };

/** The deepest nesting that the node accepts. */
const DEEPEST = 32;
const BLANK = /\s/;

/**
 * The words of a line: bare words up to a blank, texts in double quotes with JSON escapes or in single quotes without
 * escapes, and arrays and objects in brackets, which may contain bare words too. Commas between words are tolerated.
 */
export function readLine(line: string): Word[] {
  const reader = new LineReader(line);
  const words: Word[] = [];
  for (reader.skip(/[\s,]/); !reader.atEnd(); reader.skip(/[\s,]/)) words.push(reader.word());
  return words;
}

/**
 * The value of a text in brackets, read as leniently as a line; undefined when the text doesn't start with a bracket.
 */
export function readBrackets(text: string): Json | undefined {
  const [word, ...others] = readLine(text);
  return word?.kind === 'json' && others.length === 0 ? word.json : undefined;
}

class LineReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  skip(what: RegExp): void {
    while (!this.atEnd() && what.test(this.#peek())) this.#at++;
  }

  word(): Word {
    const first = this.#peek();
    if (first === '[' || first === '{') return { kind: 'json', json: this.#value(0) };
    if (first === '"' || first === "'") return { kind: 'quoted', text: this.#quoted() };
    return { kind: 'bare', text: this.#until((character) => BLANK.test(character) || character === ',') };
  }

  #value(depth: number): Json {
    if (depth > DEEPEST) refuse.line_too_deep({ limit: DEEPEST });
    this.skip(BLANK);
    const first = this.#peek();
    if (first === '[') return this.#list(depth);
    if (first === '{') return this.#object(depth);
    if (first === '"' || first === "'") return this.#quoted();
    return scalar(this.#readBareWord());
  }

  #list(depth: number): Json {
    const list: Json[] = [];
    this.#at++;
    for (this.skip(/[\s,]/); this.#peek() !== ']'; this.skip(/[\s,]/)) {
      if (this.atEnd()) refuse.line_unfinished({ expected: ']' });
      list.push(this.#value(depth + 1));
    }
    this.#at++;
    return list;
  }

  #object(depth: number): Json {
    const members: [string, Json][] = [];
    this.#at++;
    for (this.skip(/[\s,]/); this.#peek() !== '}'; this.skip(/[\s,]/)) {
      if (this.atEnd()) refuse.line_unfinished({ expected: '}' });
      const name = this.#peek() === '"' || this.#peek() === "'" ? this.#quoted() : this.#readBareWord();
      this.skip(BLANK);
      if (this.#peek() !== ':') refuse.line_unexpected({ expected: '":"', at: this.#at + 1 });
      this.#at++;
      members.push([name, this.#value(depth + 1)]);
    }
    this.#at++;
    // Unlike an assignment, this makes `__proto__` a member like any other.
    return Object.fromEntries(members);
  }

  #readBareWord(): string {
    const start = this.#at;
    const text = this.#until((character) => /[\s,:[\]{}"']/.test(character));
    return text === '' ? refuse.line_unexpected({ expected: 'a value', at: start + 1 }) : text;
  }

  #quoted(): string {
    const quote = this.#peek();
    const start = this.#at++;
    while (!this.atEnd() && this.#peek() !== quote) this.#at += quote === '"' && this.#peek() === '\\' ? 2 : 1;
    if (this.atEnd()) return refuse.line_unfinished({ expected: quote });
    const source = this.#text.slice(start, ++this.#at);
    return quote === '"' ? unescaped(source, start) : source.slice(1, -1);
  }

  #until(stop: (character: string) => boolean): string {
    const start = this.#at;
    while (!this.atEnd() && !stop(this.#peek())) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }
}

function unescaped(source: string, start: number): string {
  try {
    const text: unknown = JSON.parse(source);
    return String(text);
  } catch {
    // There are quotes at both ends, so only an escape can be invalid.
    return refuse.line_unexpected({ expected: 'a text with valid escapes', at: start + 1 });
  }
}

function scalar(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (!/^-?(?:0|[1-9]\d{0,38})$/.test(text)) return text;
  const value = BigInt(text);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
