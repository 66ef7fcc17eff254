import { present } from '../../../src/base/assert.ts';
import type { Json } from '../../../src/codec/json.ts';

/**
 * A mutable JSON syntax tree: a leaf is a piece of text, so a member may occur twice, a zero may be negative and an
 * escape unusual.
 */
export type Source = string | Items | Members;

export interface Items {
  readonly items: Source[];
}

/** Names include their quotes. */
export interface Members {
  readonly members: [name: string, value: Source][];
}

/** The tree of a plain JSON value. */
export function makeSource(json: Json): Source {
  if (typeof json === 'bigint') return String(json);
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  if (Array.isArray(json)) return { items: json.map(makeSource) };
  return { members: Object.entries(json).map(([name, value]) => [JSON.stringify(name), makeSource(value)]) };
}

/** The text; with `space` between all its parts. */
export function sourceText(source: Source, space = ''): string {
  if (typeof source === 'string') return source;
  const parts =
    'items' in source ? source.items.map((item) => sourceText(item, space)) : source.members.map(memberText(space));
  const inside = parts.length === 0 ? '' : space + parts.join(`${space},${space}`) + space;
  return 'items' in source ? `[${inside}]` : `{${inside}}`;
}

function memberText(space: string): (member: Members['members'][number]) => string {
  return ([name, value]) => `${name}${space}:${space}${sourceText(value, space)}`;
}

/** A copy that can be changed independently. */
export function copySource(source: Source): Source {
  if (typeof source === 'string') return source;
  if ('items' in source) return { items: source.items.map(copySource) };
  return { members: source.members.map(([name, value]) => [name, copySource(value)]) };
}

/** The place of a value, and the name of the member that it is in. */
export interface Place {
  readonly name: string;
  readonly value: Source;
  put(value: Source): void;
}

/** Something of which the source is a part, so that all of it can be replaced. */
export interface Root {
  source: Source;
}

/** Every place, the root first. */
export function listPlaces(root: Root): Place[] {
  const places: Place[] = [
    {
      name: '',
      value: root.source,
      put: (value) => {
        root.source = value;
      },
    },
  ];
  collect(root.source, '', places);
  return places;
}

function collect(source: Source, name: string, places: Place[]): void {
  if (typeof source === 'string') return;
  if ('items' in source) {
    const { items } = source;
    for (const [k, value] of items.entries()) {
      places.push({ name, value, put: (other) => void (items[k] = other) });
      collect(value, name, places);
    }
    return;
  }
  for (const member of source.members) {
    const [quoted, value] = member;
    const own = quoted.slice(1, -1);
    places.push({ name: own, value, put: (other) => void (member[1] = other) });
    collect(value, own, places);
  }
}

/** Shrinks a source as long as `holds` is true of it, by removing and simplifying parts. */
export async function smallest(source: Source, holds: (source: Source) => Promise<boolean>): Promise<Source> {
  for (const candidate of smaller(source)) if (await holds(candidate)) return await smallest(candidate, holds);
  return source;
}

/** Sources with one part removed or simplified, each shorter than this one. */
function* smaller(source: Source): Generator<Source> {
  const count = listPlaces({ source }).length;
  for (let at = 0; at < count; at++) {
    for (const shrink of SHRINKING) {
      const root = { source: copySource(source) };
      const place = present(listPlaces(root)[at], 'the same place');
      place.put(shrink(place.value));
      if (sourceText(root.source).length < sourceText(source).length) yield root.source;
    }
  }
}

type Shrink = (value: Source) => Source;

const half = (length: number): number => Math.ceil(length / 2);

const SHRINKING: readonly Shrink[] = [
  (value) => (typeof value === 'string' && !value.startsWith('"') ? '0' : within(value, () => [0, 0])),
  (value) => within(value, (length) => [half(length), length]),
  (value) => within(value, (length) => [0, length - half(length)]),
  (value) => within(value, (length) => [1, length]),
  (value) => within(value, (length) => [0, length - 1]),
];

/** Returns the part between two positions of a text or a list. */
function within(value: Source, ends: (length: number) => readonly [start: number, end: number]): Source {
  if (typeof value === 'string')
    return value.startsWith('"') ? `"${value.slice(1, -1).slice(...ends(value.length - 2))}"` : value;
  if ('items' in value) return { items: value.items.slice(...ends(value.items.length)) };
  return { members: value.members.slice(...ends(value.members.length)) };
}
