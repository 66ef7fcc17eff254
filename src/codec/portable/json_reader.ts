import { errorMessage } from '../../base/error_message.ts';
import { Refusal } from '../../base/refusal.ts';
import { parseJson, type Json } from '../json.ts';

// The same as json_reader.ts by what the language has: a third of its size, and slower. A refusal says less.

/** Nesting, and digits of an integer, as the other form takes them. */
const MOST_LEVELS = 32;
const MOST_DIGITS = 100;
/** Integers with at most this many digits survive JSON.parse. */
const DIGITS_OF_EXACT_DOUBLE = 15;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Strings, with the colon behind the name of a member; numbers; brackets. */
const TOKENS = /"[^"\\]*(?:\\[^][^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*|[[\]{}]/g;

/** The one JSON value in these bytes. */
export function readJson(bytes: Uint8Array): Json {
  return readJsonText(parsing(() => strict.decode(bytes)));
}

/** The JSON value of a text. */
export function readJsonText(text: string): Json {
  const value = parsing(() => parseJson(text));
  let [level, members, isExact] = [0, 0, true];
  // The text is JSON, so this takes one look at each character.
  for (const [token, colon] of text.matchAll(TOKENS)) {
    if (colon !== undefined) members++;
    else if (/[[{]/.test(token.charAt(0))) level = within(level + 1);
    else if (/[\]}]/.test(token.charAt(0))) level--;
    else if (!token.startsWith('"') && (token.length > DIGITS_OF_EXACT_DOUBLE || /^-0|e/i.test(token))) isExact = false;
  }
  if (members !== countMembers(value)) refuse('duplicate_member', 'a member stands twice in an object');
  // Only half of a pair is written as an escape.
  if (/\\ud/i.test(text) && /(?<!\\)(?:\\\\)*\\ud/.test(JSON.stringify(value)))
    refuse('lone_surrogate', 'half of a surrogate pair');
  return isExact ? value : exactly(text);
}

/** The value with exact numbers, which are handed on as texts. */
function exactly(text: string): Json {
  const marked = text.replaceAll(TOKENS, (token, colon: string | undefined) => {
    if (token.startsWith('"')) return colon === undefined ? `"s${token.slice(1)}` : token;
    return /[-\d]/.test(token.charAt(0)) ? `"${token}"` : token;
  });
  return parseJson(marked, (_, value) => {
    if (typeof value !== 'string') return value;
    return value.startsWith('s') ? value.slice(1) : exactNumber(value);
  });
}

function exactNumber(text: string): number | bigint {
  if (/^-?\d+$/.test(text)) {
    if (text.length > MOST_DIGITS) refuse('number_too_long', `an integer of more than ${MOST_DIGITS} digits`);
    return Number.isSafeInteger(Number(text)) ? Number(BigInt(text)) : BigInt(text);
  }
  const value = Number(text);
  if (!Number.isFinite(value)) refuse('number_too_large', 'a number too large to be represented');
  return value === 0 ? 0 : value;
}

function within(level: number): number {
  return level <= MOST_LEVELS ? level : refuse('too_deep', `more than ${MOST_LEVELS} levels of nesting`);
}

function countMembers(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  return parts.reduce((sum: number, part) => sum + countMembers(part), Array.isArray(value) ? 0 : parts.length);
}

function parsing<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    return refuse('unexpected', errorMessage(error));
  }
}

function refuse(name: string, text: string): never {
  throw new Refusal(`json_${name}`, text);
}
