import { assert } from '../base/assert.ts';
import type { Json } from './json.ts';

/**
 * The text of a value: no white space, members in their order, escapes `\b \f \n \r \t \\ \"` and `\u00xx` for other
 * control characters, everything else as it is. A bigint is written as plain digits; whether a large integer is a string
 * is the codecs' decision.
 */
export function writeJson(value: Json): string {
  return holdsBigint(value) ? writeSlowly(value) : JSON.stringify(value);
}

/** JSON.stringify is the fastest writer, but throws at a bigint. */
function holdsBigint(value: Json): boolean {
  if (typeof value === 'number') assert(Number.isFinite(value), 'a number in an answer is finite');
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  if (Array.isArray(value)) {
    for (const element of value) if (holdsBigint(element)) return true;
    return false;
  }
  for (const member in value) if (holdsBigint(value[member] ?? null)) return true;
  return false;
}

function writeSlowly(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeSlowly).join(',')}]`;
  return `{${Object.entries(value).map(([member, content]) => `${JSON.stringify(member)}:${writeSlowly(content)}`).join(',')}}`;
}
