import { assert } from '../base/assert.ts';

/**
 * A JSON value. Integers beyond ±(2^53 − 1) are `bigint`, read from the source text and never through a float;
 * all other numbers are `number`. In objects made by the reader every member is an own property, `__proto__` included.
 */
export type Json = null | boolean | number | bigint | string | Json[] | { [member: string]: Json };

/** A JSON value with members. */
export type JsonObject = { [member: string]: Json };

/** True for a value with members: null and lists have none. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `JSON.parse` with its result typed. `revive` returns JSON. */
export function parseJson(text: string, revive?: (member: string, value: Json) => Json): Json {
  const value: unknown = JSON.parse(text, revive);
  return isParsed(value) ? value : null;
}

/** Accepts whatever `JSON.parse` returns, which is JSON. */
function isParsed(value: unknown): value is Json {
  return value !== undefined;
}

/**
 * A copy that holds nothing but JSON. Members with a symbol as their name are left out, such as the marks of a TypeBox
 * schema. A function, a symbol or undefined is an AssertionFailure.
 */
export function asJson(value: unknown): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      assert(Number.isFinite(value), 'a number in JSON is finite');
      return value;
    case 'bigint':
      return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
    default:
      assert(typeof value === 'object', 'JSON holds no functions, symbols or undefined');
      return value === null ? null : partsAsJson(value);
  }
}

function partsAsJson(value: object): Json {
  if (Array.isArray(value)) return value.map((item: unknown) => asJson(item));
  return Object.fromEntries(Object.entries(value).map(([member, item]) => [member, asJson(item)]));
}
