import type { Json } from '../outside/json.ts';
import { PREFIX } from './keys.ts';

/**
 * The required form of an answer: a value, a list or an object of shapes (with these members and no others), or a
 * check.
 */
export type Shape = Json | Check | readonly Shape[] | { readonly [member: string]: Shape };

/** Something that a value is looked at for. */
class Check {
  readonly what: string;
  /** Returns the place and the reason of a failure; undefined when it holds. */
  readonly fault: (value: Json, path: string) => string | undefined;

  constructor(what: string, fault: (value: Json, path: string) => string | undefined) {
    this.what = what;
    this.fault = fault;
  }
}

/** The first place where a value is not of its shape. */
export function mismatch(shape: Shape, value: Json, path = ''): string | undefined {
  if (shape instanceof Check) return shape.fault(value, path);
  if (isShapes(shape)) return listMismatch(shape, value, path);
  if (typeof shape === 'object' && shape !== null) return membersMismatch(shape, value, path, true);
  return Object.is(shape, value) ? undefined : expected(JSON.stringify(shape), value, path);
}

function listMismatch(shapes: readonly Shape[], value: Json, path: string): string | undefined {
  if (!isList(value) || value.length !== shapes.length) return expected(`a list of ${shapes.length}`, value, path);
  return first(shapes, (shape, k) => mismatch(shape, value[k] ?? null, `${path}[${k}]`));
}

function membersMismatch(
  shapes: { readonly [member: string]: Shape },
  value: Json,
  path: string,
  only: boolean,
): string | undefined {
  if (!isObject(value)) return expected(`an object with ${Object.keys(shapes).join(', ')}`, value, path);
  const missing = Object.keys(shapes).filter((name) => !(name in value));
  if (missing.length > 0) return `${path || 'the answer'}: without ${missing.join(', ')}: ${shown(value)}`;
  const more = Object.keys(value).filter((name) => !(name in shapes));
  if (only && more.length > 0) return `${path || 'the answer'}: has ${more.join(', ')} as well: ${shown(value)}`;
  return first(Object.entries(shapes), ([name, shape]) =>
    mismatch(shape, value[name] ?? null, path === '' ? name : `${path}.${name}`),
  );
}

/** An object with at least these members. */
export function has(shapes: { readonly [member: string]: Shape }): Check {
  return new Check(`an object with ${Object.keys(shapes).join(', ')}`, (value, path) =>
    membersMismatch(shapes, value, path, false),
  );
}

/** An object without such a member, be it null. */
export function lacks(...members: readonly string[]): Check {
  return checked(
    `an object without ${members.join(', ')}`,
    (value) => isObject(value) && !members.some((name) => name in value),
  );
}

/** A list, each element of that shape; `least` says how many there must be. */
export function listCheck(shape: Shape, least = 1): Check {
  return new Check('a list', (value, path) => {
    if (!isList(value) || value.length < least) return expected(`a list of ${least} or more`, value, path);
    return first(value, (element, k) => mismatch(shape, element, `${path}[${k}]`));
  });
}

/** A list with such an element in it. */
export function listIncluding(shape: Shape): Check {
  return new Check('a list', (value, path) =>
    isList(value) && value.some((element) => mismatch(shape, element) === undefined)
      ? undefined
      : expected(`a list with ${shapeWords(shape)}`, value, path),
  );
}

/** A list that begins with these elements. */
export function tupleStart(...shapes: readonly Shape[]): Check {
  return new Check('a list', (value, path) =>
    isList(value) && value.length >= shapes.length
      ? first(shapes, (shape, k) => mismatch(shape, value[k] ?? null, `${path}[${k}]`))
      : expected(`a list of ${shapes.length} or more`, value, path),
  );
}

/** A list without such an element. */
export function listExcluding(shape: Shape): Check {
  return new Check('a list', (value, path) =>
    isList(value) && value.every((element) => mismatch(shape, element) !== undefined)
      ? undefined
      : expected(`a list without ${shapeWords(shape)}`, value, path),
  );
}

/** A text in which the pattern is found. */
export function matching(pattern: RegExp, what = String(pattern)): Check {
  return checked(what, (value) => typeof value === 'string' && pattern.test(value));
}

/** A value for which something holds. */
export function checked(what: string, holds: (value: Json) => boolean): Check {
  return new Check(what, (value, path) => (holds(value) ? undefined : expected(what, value, path)));
}

// Shapes by the words of the text.
export const anything = checked('anything', () => true);
export const text = checked('a text', (value) => typeof value === 'string');
export const bool = checked('true or false', (value) => typeof value === 'boolean');
/** A number, never a text of digits. */
export const integer = checked('an integer', (value) => Number.isSafeInteger(value));
export const list = listCheck(anything, 0);
export const noList = checked('an empty list', (value) => isList(value) && value.length === 0);
export const time = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, 'a time YYYY-MM-DDTHH:MM:SS');
export const publicKeyText = matching(
  new RegExp(`^${PREFIX}(?:[1-9A-HJ-NP-Za-km-z]{50}|1{33}4T1Anm)$`),
  'a public key',
);
export const wifText = matching(/^5[HJK][1-9A-HJ-NP-Za-km-z]{49}$/, 'a private key in wallet import format');
export const accountName = matching(/^[\w-]{1,32}$/, 'an account name');
export const id40 = hex(40);
export const signatureText = hex(130);
export const version = matching(/^\d+\.\d+\.\d+$/, 'a dotted version');
export const coin = asset('COIN');
export const vests = asset('VESTS');
export const price = { base: anyAsset(), quote: anyAsset() };
export const authority = {
  weight_threshold: integer,
  account_auths: listCheck([accountName, integer], 0),
  key_auths: listCheck([publicKeyText, integer], 0),
};

/** An operation in a history. */
export const historyEntry = {
  trx_id: id40,
  block: integer,
  trx_in_block: integer,
  op_in_trx: integer,
  virtual_op: integer,
  timestamp: time,
  op: [text, anything],
  fee_payer: text,
};

/** So many hex digits. */
export function hex(digits: number): Check {
  return matching(new RegExp(`^[0-9a-f]{${digits}}$`), `${digits} hex digits`);
}

/** An asset string with six fraction digits. */
export function asset(symbol: string): Check {
  return matching(new RegExp(`^\\d+\\.\\d{6} ${symbol}$`), `an amount with six fraction digits in ${symbol}`);
}

function anyAsset(): Check {
  return matching(/^\d+\.\d{6} [A-Z]+$/, 'an amount with six fraction digits');
}

function shapeWords(shape: Shape): string {
  return shape instanceof Check
    ? shape.what
    : JSON.stringify(shape, (_, part: unknown) => (part instanceof Check ? part.what : part));
}

function expected(what: string, value: Json, path: string): string {
  return `${path === '' ? '' : `${path}: `}${what} expected, got ${shown(value)}`;
}

const LONGEST_SHOWN = 400;

function shown(value: Json): string {
  const whole = JSON.stringify(value);
  return whole.length > LONGEST_SHOWN ? `${whole.slice(0, LONGEST_SHOWN)} …` : whole;
}

function first<T>(all: readonly T[], look: (one: T, k: number) => string | undefined): string | undefined {
  for (const [k, one] of all.entries()) {
    const fault = look(one, k);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isShapes(shape: Shape): shape is readonly Shape[] {
  return Array.isArray(shape);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
