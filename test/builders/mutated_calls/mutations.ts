import type { RandomSource } from '../random_source.ts';
import { oddName, oddNumber, oddText, oddValue } from './odd_values.ts';
import { copySource, listPlaces, sourceText, type Items, type Members, type Root, type Source } from './source.ts';

/** Parts of other calls, by the name of the member that they are in. */
export type Donors = ReadonlyMap<string, readonly Source[]>;

/** Every part of these sources. */
export function collectDonors(sources: readonly Source[]): Donors {
  const donors = new Map<string, Source[]>();
  for (const { name, value } of sources.flatMap((source) => listPlaces({ source }))) {
    const known = donors.get(name);
    if (known === undefined) donors.set(name, [value]);
    else known.push(value);
  }
  return donors;
}

/** The new value for a place; undefined where the mutation does not apply. */
type Mutation = (value: Source, randomSource: RandomSource, name: string, donors: Donors) => Source | undefined;

/** The longest list and the deepest nesting that is tried; limits are at 100 to 1000 and at 32. */
const LONGEST = 1200;
const DEEPEST = 40;

const isMembers = (value: Source): value is Members => typeof value !== 'string' && 'members' in value;
const isItems = (value: Source): value is Items => typeof value !== 'string' && 'items' in value;
const isText = (value: Source): value is string => typeof value === 'string' && value.startsWith('"');
const isNumber = (value: Source): value is string => typeof value === 'string' && /^-?\d/.test(value);

const odd: Mutation = (_, randomSource) => oddValue(randomSource);

const sameKind: Mutation = (value, randomSource) =>
  isText(value) ? oddText(randomSource) : isNumber(value) ? oddNumber(randomSource) : undefined;

/** A value that another call has under this name, or under any. */
const donated: Mutation = (_, randomSource, name, donors) => {
  const named = donors.get(name) ?? [];
  const some = named.length > 0 && randomSource.chance(60) ? named : randomSource.pick([...donors.values()]);
  return copySource(randomSource.pick(some));
};

const otherType: Mutation = (value, randomSource) => {
  if (isNumber(value))
    return randomSource.pick([`"${value}"`, `${value}.0`, `${value}e0`, `-${value}`, `0${value}`, `${value}0`]);
  if (isText(value))
    return randomSource.pick([
      value.slice(1, -1) || '0',
      { items: [value] },
      `"${value.slice(1, -1)}${value.slice(1, -1)}"`,
    ]);
  return JSON.stringify(sourceText(value));
};

const wrapped: Mutation = (value, randomSource) =>
  randomSource.chance(60)
    ? { items: [value] }
    : { members: [[randomSource.pick(['"a"', '"value"', '"amount"', '"type"', oddName(randomSource)]), value]] };

const unwrapped: Mutation = (value, randomSource) => {
  if (isItems(value)) return value.items.length === 0 ? undefined : randomSource.pick(value.items);
  return isMembers(value) && value.members.length > 0 ? randomSource.pick(value.members)[1] : undefined;
};

const nested: Mutation = (value, randomSource) => {
  const asItems = randomSource.chance(60);
  let source = value;
  for (let depth = randomSource.roll(DEEPEST); depth > 0; depth--)
    source = asItems ? { items: [source] } : { members: [['"a"', source]] };
  return source;
};

const dropped: Mutation = (value, randomSource) => {
  if (typeof value === 'string') return undefined;
  const parts: unknown[] = isItems(value) ? value.items : value.members;
  if (parts.length === 0) return undefined;
  parts.splice(randomSource.roll(parts.length), 1);
  return value;
};

const repeated: Mutation = (value, randomSource) => {
  if (typeof value === 'string') return undefined;
  if (isItems(value)) {
    if (value.items.length === 0) return undefined;
    const item = randomSource.pick(value.items);
    // Rarely a long one: those cost more than anything else.
    const times = randomSource.chance(5) ? randomSource.roll(LONGEST) : 1 + randomSource.roll(3);
    for (let k = 0; k < times; k++) value.items.push(copySource(item));
    return value;
  }
  if (value.members.length === 0) return undefined;
  const [name, member] = randomSource.pick(value.members);
  value.members.push([randomSource.chance(50) ? name : escaped(name), copySource(member)]);
  return value;
};

const renamed: Mutation = (value, randomSource) => {
  if (!isMembers(value) || value.members.length === 0) return undefined;
  const member = randomSource.pick(value.members);
  const [name] = member;
  member[0] = randomSource.pick([
    oddName(randomSource),
    escaped(name),
    name.toUpperCase(),
    `"${name.slice(1, -1)}s"`,
    '""',
  ]);
  return value;
};

const extended: Mutation = (value, randomSource) => {
  if (isItems(value)) value.items.splice(randomSource.roll(value.items.length + 1), 0, oddValue(randomSource));
  else if (isMembers(value))
    value.members.splice(randomSource.roll(value.members.length + 1), 0, [
      oddName(randomSource),
      oddValue(randomSource),
    ]);
  else return undefined;
  return value;
};

const shuffled: Mutation = (value, randomSource) => {
  if (isItems(value)) return { items: randomSource.shuffle(value.items) };
  return isMembers(value) ? { members: randomSource.shuffle(value.members) } : undefined;
};

/** Changes a few characters of a text. */
const respelled: Mutation = (value, randomSource) => {
  if (!isText(value)) return undefined;
  const text = value.slice(1, -1);
  const at = randomSource.roll(text.length + 1);
  const put = randomSource.pick([
    '',
    '0',
    'a',
    'Z',
    '.',
    ' ',
    '-',
    '\\u0000',
    '\\ud83d\\ude00',
    'ž',
    '\\n',
    '\\"',
    '_',
    text,
  ]);
  return `"${text.slice(0, at)}${put}${text.slice(at + randomSource.roll(3))}"`;
};

/** Between `[name, body]` and `{type, value}`, with and without the suffix, and a number in place of the name. */
const otherEncoding: Mutation = (value, randomSource) => {
  const [name, body] = partsOfOperation(value);
  if (name === undefined || body === undefined) return undefined;
  const bare = name.replace(/_operation"$/, '"');
  const kind = randomSource.pick([
    bare,
    bare.replace(/"$/, '_operation"'),
    String(randomSource.roll(40)),
    oddNumber(randomSource),
    oddValue(randomSource),
  ]);
  if (randomSource.chance(50)) return { items: [kind, body] };
  return {
    members: randomSource.shuffle([
      ['"type"', kind],
      ['"value"', body],
    ]),
  };
};

/** True when it looks like an operation in one of its notations. */
export function isOperation(value: Source): boolean {
  return partsOfOperation(value).length > 0;
}

function partsOfOperation(value: Source): [name?: string, body?: Source] {
  if (isItems(value) && value.items.length === 2) {
    const [name, body] = value.items;
    return name !== undefined && isText(name) && body !== undefined ? [name, body] : [];
  }
  if (!isMembers(value)) return [];
  const parts = new Map(value.members);
  const [name, body] = [parts.get('"type"'), parts.get('"value"')];
  return name !== undefined && isText(name) && body !== undefined ? [name, body] : [];
}

/** The three forms of an amount, and near misses. */
const otherAsset: Mutation = (value, randomSource) => {
  const [, amount, symbol] = isText(value) ? (/^"(-?[\d.]+) (\w+)"$/.exec(value) ?? []) : [];
  if (amount === undefined || symbol === undefined) return undefined;
  const [text, whole] = [randomSource.chance(70) ? `"${amount}"` : oddValue(randomSource), amount.replace('.', '')];
  if (randomSource.chance(40))
    return {
      members: [
        ['"amount"', text],
        ['"symbol"', randomSource.chance(70) ? `"${symbol}"` : oddText(randomSource)],
      ],
    };
  const identifier = randomSource.pick(['"@@000000021"', '"@@000000037"', `"${symbol}"`, oddText(randomSource)]);
  return {
    members: [
      ['"amount"', randomSource.chance(60) ? `"${whole}"` : oddValue(randomSource)],
      ['"precision"', randomSource.chance(70) ? '6' : oddNumber(randomSource)],
      ['"nai"', identifier],
    ],
  };
};

/** Mutations of objects and arrays. */
const ofParts: readonly Mutation[] = [dropped, dropped, repeated, renamed, extended, shuffled];
/** One that is listed several times is tried more often. */
const ofAll: readonly Mutation[] = [
  ...[
    odd,
    odd,
    odd,
    sameKind,
    sameKind,
    sameKind,
    donated,
    donated,
    donated,
    otherType,
    otherType,
    wrapped,
    unwrapped,
    nested,
  ],
  ...[respelled, respelled, otherEncoding, otherEncoding, otherAsset, otherAsset, ...ofParts],
];

/** The same name with its first letter escaped. */
function escaped(name: string): string {
  const first = name.codePointAt(1) ?? 0;
  return `"\\u${first.toString(16).padStart(4, '0')}${name.slice(2)}`;
}

/** Applies that many mutations at random places; the outer structure mostly stays. */
export function mutate(root: Root, randomSource: RandomSource, donors: Donors, count: number): void {
  for (let left = count; left > 0; left--) {
    const [whole, ...inside] = listPlaces(root);
    if (whole === undefined) return;
    const isWhole = inside.length === 0 || randomSource.chance(15);
    // Prefers places near the top, because most are deep inside.
    const place = isWhole ? whole : randomSource.pick(randomSource.chance(30) ? inside.slice(0, 6) : inside);
    const mutation = randomSource.pick(isWhole && randomSource.chance(85) ? ofParts : ofAll);
    const changed = mutation(place.value, randomSource, place.name, donors);
    if (changed !== undefined) place.put(changed);
  }
}
