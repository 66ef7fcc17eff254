import type { Value } from './calls.ts';

/** A value that fits into this many characters stands on one line. */
const LINE = 88;

/** JSON as readers like it: short lists and objects on a line of their own, longer ones over several. */
export function prettyText(value: Value, indent = '', before = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const short = shortText(value);
  if (indent.length + before + short.length <= LINE) return short;
  const deeper = `${indent}  `;
  const parts = isList(value)
    ? value.map((item) => prettyText(item, deeper))
    : Object.entries(value).map(
        ([member, item]) => `${JSON.stringify(member)}: ${prettyText(item, deeper, member.length + 4)}`,
      );
  return `${open}\n${deeper}${parts.join(`,\n${deeper}`)}\n${indent}${close}`;
}

function shortText(value: Value): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(shortText).join(', ')}]`;
  const members = Object.entries(value).map(([member, item]) => `${JSON.stringify(member)}: ${shortText(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
