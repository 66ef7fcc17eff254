import { assert } from '../base/assert.ts';

/**
 * The text of a JSON value (typed `unknown` because a schema's static type can't be shown to be `Json`; anything else
 * in it is an AssertionFailure): no white space, members in their order, escapes `\b \f \n \r \t \\ \"` and `\u00xx`
 * for other control characters, everything else as it is. A bigint is written as plain digits; whether a large integer
 * is a string is the codecs' decision.
 */
export function writeJson(value: unknown): string {
  return holdsBigint(value) ? writeSlowly(value) : JSON.stringify(value);
}

/** JSON.stringify is the fastest writer, but throws at a bigint, and is silent about what has no JSON form. */
function holdsBigint(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return false;
    case 'bigint':
      return true;
    case 'number':
      assert(Number.isFinite(value), 'a number in an answer is finite');
      return false;
    default:
      assert(typeof value === 'object', 'an answer holds nothing but JSON');
      return value !== null && partsHoldBigint(value);
  }
}

function partsHoldBigint(value: object): boolean {
  let found = false;
  if (Array.isArray(value)) {
    for (const element of value) if (holdsBigint(element)) found = true;
    return found;
  }
  const members = jsonMembers(value);
  // Avoids allocating a list of the values.
  for (const name in members) if (holdsBigint(members[name])) found = true;
  return found;
}

function jsonMembers(value: object): Readonly<Record<string, unknown>>;
function jsonMembers(value: object): object {
  return value;
}

function writeSlowly(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${writeSlowly(item)}`;
    return `[${text}]`;
  }
  const members = jsonMembers(value);
  for (const member of Object.keys(members))
    text += `${text === '' ? '' : ','}${JSON.stringify(member)}:${writeSlowly(members[member])}`;
  return `{${text}}`;
}
