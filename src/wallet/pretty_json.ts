import type { Json } from '../codec/json.ts';

/**
 * Readable JSON: two blanks per level, one member or element per line, empty objects and arrays closed at once; no
 * newline at the end.
 */
export function prettyJson(json: Json, indent = ''): string {
  if (typeof json === 'bigint') return json.toString();
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(json) ? ['[', ']'] : ['{', '}'];
  const parts = Array.isArray(json)
    ? json.map((element) => prettyJson(element, deeper))
    : Object.entries(json).map(([member, value]) => `${JSON.stringify(member)}: ${prettyJson(value, deeper)}`);
  return parts.length === 0 ? `${open}${close}` : `${open}\n${deeper}${parts.join(`,\n${deeper}`)}\n${indent}${close}`;
}
