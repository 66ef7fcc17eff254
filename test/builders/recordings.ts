import { readFileSync } from 'node:fs';

/**
 * A value of a recording; numbers beyond 2^53 are strings in the files, or read by a strict reader from
 * `recordingText`.
 */
export type Recorded = null | boolean | number | string | Recorded[] | { [name: string]: Recorded };

/** The path of a file of test/lineage/, from build/test/builders/. */
export function recordingPath(name: string): URL {
  return new URL(`../../../test/lineage/${name}`, import.meta.url);
}

/** The exact text of a recording, for readers that keep 64-bit integers. */
export function recordingText(name: string): string {
  return readFileSync(recordingPath(name), 'utf8');
}

/** A recording, parsed; throws when an integer would lose digits. */
export function recording(name: string): Recorded {
  const text = recordingText(name);
  // JSON.parse would round such an integer silently; none of our recordings has one outside a string.
  const outsideStrings = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const long = /\d{16,}/.exec(outsideStrings);
  if (long !== null) throw new RangeError(`${name} holds ${long[0]}: read it with recordingText`);
  const parsed: Recorded = JSON.parse(text);
  return parsed;
}

/** The member `path` (dots between names) of a value; throws when it is missing. */
export function member(value: Recorded, path: string): Recorded {
  let at: Recorded | undefined = value;
  for (const name of path.split('.')) {
    at = typeof at === 'object' && at !== null && !Array.isArray(at) ? at[name] : undefined;
    if (at === undefined) throw new RangeError(`no member ${path}`);
  }
  return at;
}

/** The text at `path`. */
export function recordedText(value: Recorded, path: string): string {
  const found = member(value, path);
  if (typeof found !== 'string') throw new RangeError(`${path} is no text`);
  return found;
}

/** The list at `path`. */
export function recordedList(value: Recorded, path: string): Recorded[] {
  const found = member(value, path);
  if (!Array.isArray(found)) throw new RangeError(`${path} is no list`);
  return found;
}
