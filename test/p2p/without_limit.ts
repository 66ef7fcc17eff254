import type { Limit } from './limits.ts';

/**
 * The source, or what it is compiled to, without a limit; undefined where the limit isn't declared there, or not once.
 */
export function withoutLimit(text: string, limit: Limit): string | undefined {
  const place = findPlace(text, limit);
  return (
    place && text.slice(0, place.from) + replacement(text.slice(place.from, place.to), limit) + text.slice(place.to)
  );
}

interface Place {
  readonly from: number;
  readonly to: number;
}

function findPlace(text: string, limit: Limit): Place | undefined {
  if ('value' in limit) return placeOfValue(text, limit.value.split('.'));
  if ('rule' in limit) return placeOfBody(text, limit.rule);
  const from = text.indexOf(limit.condition);
  return from < 0 || text.includes(limit.condition, from + 1) ? undefined : { from, to: from + limit.condition.length };
}

function replacement(code: string, limit: Limit): string {
  if ('rule' in limit) return `\n${limit.body}\n`;
  return limit.instead ?? `((value) => value + Math.sign(value) * Math.max(1, Math.abs(value) / 10))(${code})`;
}

/** Of `const NAME = …;`, or of a member of that object. */
function placeOfValue(text: string, [name = '', ...members]: readonly string[]): Place | undefined {
  const declaration = findOnly(text, new RegExp(`^(?:export )?const ${name}(?:: [^=]+)? = `, 'gm'));
  if (declaration === undefined) return undefined;
  let from = declaration;
  for (const member of members) {
    const after = new RegExp(`\\b${member}: `, 'g');
    after.lastIndex = from;
    if (after.exec(text) === null) return undefined;
    from = after.lastIndex;
  }
  const length = text.slice(from).search(members.length === 0 ? /;/ : /,|\s*[}\n]/);
  return { from, to: from + length };
}

/** Between the braces of a function or a method. */
function placeOfBody(text: string, name: string): Place | undefined {
  const escaped = name.replaceAll(/[*$]/g, String.raw`\$&`);
  const from = findOnly(
    text,
    new RegExp(
      `^(?: *(?:static |async |get )*|(?:export )?function )${escaped}(?:<[^>]*>)?\\((?:[^()]|\\([^()]*\\))*\\)[^{;]*\\{$`,
      'gm',
    ),
  );
  if (from === undefined) return undefined;
  const line = text.lastIndexOf('\n', from - 1) + 1;
  const indent = /^ */.exec(text.slice(line))?.[0] ?? '';
  const to = text.indexOf(`\n${indent}}`, from);
  return to < 0 ? undefined : { from, to };
}

/** Returns the end of the only match. */
function findOnly(text: string, pattern: RegExp): number | undefined {
  const [first, second] = [...text.matchAll(pattern)];
  return first === undefined || second !== undefined ? undefined : first.index + first[0].length;
}
