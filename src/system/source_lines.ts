import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseMembers } from './json_members.ts';

/** A place in a file that runs, as stacks show it. */
const PLACE = /(file:\/\/[^()\s]+\.c?js):(\d+):(\d+)/g;
/** Places of which the source is remembered. A program has few places where errors come from. */
const MOST_REMEMBERED = 1024;

/** By the place in a file that runs, the place in the source: the same place where there is no map. */
const sources = new Map<string, string>();

/** A place in a file that runs; both numbers begin with zero. */
interface Place {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Lets stacks name lines of the source. A map is read when a stack shows a new place, and nothing else of it is kept:
 * Node looks at the stack of each error of a socket, so a peer that resets its connection makes a thread read it.
 * Node's own `SourceMap` takes 55 MiB for the program.
 */
export function nameSourceLines(): void {
  Error.prepareStackTrace = (error, sites) => {
    const stack = sites.map((site) => `\n    at ${String(site)}`).join('');
    findSources(stack);
    return String(error) + stack.replace(PLACE, (place) => sources.get(place) ?? place);
  };
}

/** Remembers the sources of the places that a stack shows. */
function findSources(stack: string): void {
  if (sources.size > MOST_REMEMBERED) sources.clear();
  const places = new Map<string, Place[]>();
  for (const [text, file = '', line, column] of stack.matchAll(PLACE)) {
    if (sources.has(text)) continue;
    sources.set(text, text);
    const place = { text, line: Number(line) - 1, column: Number(column) - 1 };
    places.set(file, [...(places.get(file) ?? []), place]);
  }
  for (const [file, ofFile] of places) readSources(file, ofFile);
}

function readSources(file: string, places: readonly Place[]): void {
  try {
    const { sources: paths, mappings } = readMap(readFileSync(fileURLToPath(`${file}.map`)));
    for (const { place, source, line, column } of findOrigins(mappings, places)) {
      const path = fileURLToPath(new URL(paths[source] ?? '', file));
      sources.set(place.text, `${path}:${line + 1}:${column + 1}`);
    }
  } catch {
    // A library's file, or a package without maps: its own lines have to do.
  }
}

/** The origin of a place: the number of the source, its line and column, from zero. */
interface Origin {
  readonly place: Place;
  readonly source: number;
  readonly line: number;
  readonly column: number;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Int8Array(128).fill(-1);
for (const [value, letter] of [...LETTERS].entries()) VALUES[letter.charCodeAt(0)] = value;
const [NEXT_SEGMENT, NEXT_LINE] = [','.charCodeAt(0), ';'.charCodeAt(0)];
const [MAPPINGS, QUOTE] = ['"mappings":', '"'];
/**
 * Members of a segment: column here; source, line and column there, each as the step from the segment before; a name.
 */
const [COLUMN, SOURCE, SOURCE_LINE, SOURCE_COLUMN, MEMBERS] = [0, 1, 2, 3, 5];

/**
 * Decodes the mappings from their beginning, as every segment is a step from the one before, and keeps what belongs to
 * the places.
 */
function findOrigins(mappings: Uint8Array, places: readonly Place[]): Origin[] {
  const origins = new Map<Place, Origin>();
  const members = new Int32Array(MEMBERS);
  let [line, member, bits, shift] = [0, 0, 0, 0];
  const byLine = new Map<number, Place[]>();
  for (const place of places) byLine.set(place.line, [...(byLine.get(place.line) ?? []), place]);
  let ofLine = byLine.get(0) ?? [];
  const endSegment = (): void => {
    if (member > SOURCE_COLUMN)
      for (const place of ofLine)
        if ((members[COLUMN] ?? 0) <= place.column)
          origins.set(place, {
            place,
            source: members[SOURCE] ?? 0,
            line: members[SOURCE_LINE] ?? 0,
            column: members[SOURCE_COLUMN] ?? 0,
          });
    member = 0;
  };
  for (const letter of mappings) {
    if (letter === NEXT_SEGMENT || letter === NEXT_LINE) {
      endSegment();
      if (letter === NEXT_SEGMENT) continue;
      line++;
      members[COLUMN] = 0;
      ofLine = byLine.get(line) ?? [];
      continue;
    }
    const value = VALUES[letter] ?? 0;
    bits |= (value & 31) << shift;
    shift += 5;
    if ((value & 32) !== 0) continue;
    members[member] = (members[member] ?? 0) + ((bits & 1) === 0 ? bits >>> 1 : -(bits >>> 1));
    [bits, shift] = [0, 0];
    member++;
  }
  endSegment();
  return [...origins.values()];
}

/** Of a file of three million bytes the mappings are almost all: they are left as bytes. */
function readMap(map: Buffer): { readonly sources: readonly string[]; readonly mappings: Uint8Array } {
  const name = map.indexOf(MAPPINGS);
  const start = map.indexOf(QUOTE, name + MAPPINGS.length) + 1;
  const end = map.indexOf(QUOTE, start);
  const paths = listSources(`${map.toString('utf8', 0, start)}${map.toString('utf8', end)}`);
  return { sources: paths, mappings: name < 0 ? map.subarray(0, 0) : map.subarray(start, end) };
}

function listSources(map: string): readonly string[] {
  const { sources: paths } = parseMembers(map) ?? {};
  return Array.isArray(paths) ? paths.map(String) : [];
}
