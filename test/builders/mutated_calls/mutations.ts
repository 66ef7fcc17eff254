import type { Dice } from '../dice.ts';
import { oddName, oddNumber, oddText, oddValue } from './odd_values.ts';
import { copyOf, placesIn, textOf, type Items, type Members, type Root, type Source } from './source.ts';

/** Parts of other calls, by the name of the member that they are in. */
export type Donors = ReadonlyMap<string, readonly Source[]>;

/** Every part of these sources. */
export function donorsFrom(sources: readonly Source[]): Donors {
  const donors = new Map<string, Source[]>();
  for (const { name, value } of sources.flatMap((source) => placesIn({ source }))) {
    const known = donors.get(name);
    if (known === undefined) donors.set(name, [value]);
    else known.push(value);
  }
  return donors;
}

/** The new value for a place; undefined where the mutation does not apply. */
type Mutation = (value: Source, dice: Dice, name: string, donors: Donors) => Source | undefined;

/** The longest list and the deepest nesting that is tried; limits are at 100 to 1000 and at 32. */
const LONGEST = 1200;
const DEEPEST = 40;

const isMembers = (value: Source): value is Members => typeof value !== 'string' && 'members' in value;
const isItems = (value: Source): value is Items => typeof value !== 'string' && 'items' in value;
const isText = (value: Source): value is string => typeof value === 'string' && value.startsWith('"');
const isNumber = (value: Source): value is string => typeof value === 'string' && /^-?\d/.test(value);

const odd: Mutation = (_, dice) => oddValue(dice);

const sameKind: Mutation = (value, dice) => (isText(value) ? oddText(dice) : isNumber(value) ? oddNumber(dice) : undefined);

/** A value that another call has under this name, or under any. */
const donated: Mutation = (_, dice, name, donors) => {
  const named = donors.get(name) ?? [];
  const some = named.length > 0 && dice.chance(60) ? named : dice.pick([...donors.values()]);
  return copyOf(dice.pick(some));
};

const otherType: Mutation = (value, dice) => {
  if (isNumber(value)) return dice.pick([`"${value}"`, `${value}.0`, `${value}e0`, `-${value}`, `0${value}`, `${value}0`]);
  if (isText(value)) return dice.pick([value.slice(1, -1) || '0', { items: [value] }, `"${value.slice(1, -1)}${value.slice(1, -1)}"`]);
  return JSON.stringify(textOf(value));
};

const wrapped: Mutation = (value, dice) =>
  dice.chance(60) ? { items: [value] } : { members: [[dice.pick(['"a"', '"value"', '"amount"', '"type"', oddName(dice)]), value]] };

const unwrapped: Mutation = (value, dice) => {
  if (isItems(value)) return value.items.length === 0 ? undefined : dice.pick(value.items);
  return isMembers(value) && value.members.length > 0 ? dice.pick(value.members)[1] : undefined;
};

const nested: Mutation = (value, dice) => {
  const asItems = dice.chance(60);
  let source = value;
  for (let depth = dice.roll(DEEPEST); depth > 0; depth--) source = asItems ? { items: [source] } : { members: [['"a"', source]] };
  return source;
};

const dropped: Mutation = (value, dice) => {
  if (typeof value === 'string') return undefined;
  const parts: unknown[] = isItems(value) ? value.items : value.members;
  if (parts.length === 0) return undefined;
  parts.splice(dice.roll(parts.length), 1);
  return value;
};

const repeated: Mutation = (value, dice) => {
  if (typeof value === 'string') return undefined;
  if (isItems(value)) {
    if (value.items.length === 0) return undefined;
    const item = dice.pick(value.items);
    // Rarely a long one: those cost more than anything else.
    const times = dice.chance(5) ? dice.roll(LONGEST) : 1 + dice.roll(3);
    for (let k = 0; k < times; k++) value.items.push(copyOf(item));
    return value;
  }
  if (value.members.length === 0) return undefined;
  const [name, member] = dice.pick(value.members);
  value.members.push([dice.chance(50) ? name : escaped(name), copyOf(member)]);
  return value;
};

const renamed: Mutation = (value, dice) => {
  if (!isMembers(value) || value.members.length === 0) return undefined;
  const member = dice.pick(value.members);
  const [name] = member;
  member[0] = dice.pick([oddName(dice), escaped(name), name.toUpperCase(), `"${name.slice(1, -1)}s"`, '""']);
  return value;
};

const extended: Mutation = (value, dice) => {
  if (isItems(value)) value.items.splice(dice.roll(value.items.length + 1), 0, oddValue(dice));
  else if (isMembers(value)) value.members.splice(dice.roll(value.members.length + 1), 0, [oddName(dice), oddValue(dice)]);
  else return undefined;
  return value;
};

const shuffled: Mutation = (value, dice) => {
  if (isItems(value)) return { items: dice.shuffle(value.items) };
  return isMembers(value) ? { members: dice.shuffle(value.members) } : undefined;
};

/** Changes a few characters of a text. */
const respelled: Mutation = (value, dice) => {
  if (!isText(value)) return undefined;
  const text = value.slice(1, -1);
  const at = dice.roll(text.length + 1);
  const put = dice.pick(['', '0', 'a', 'Z', '.', ' ', '-', '\\u0000', '\\ud83d\\ude00', 'ž', '\\n', '\\"', '_', text]);
  return `"${text.slice(0, at)}${put}${text.slice(at + dice.roll(3))}"`;
};

/** Between `[name, body]` and `{type, value}`, with and without the suffix, and a number in place of the name. */
const otherNotation: Mutation = (value, dice) => {
  const [name, body] = partsOfOperation(value);
  if (name === undefined || body === undefined) return undefined;
  const bare = name.replace(/_operation"$/, '"');
  const kind = dice.pick([bare, bare.replace(/"$/, '_operation"'), String(dice.roll(40)), oddNumber(dice), oddValue(dice)]);
  if (dice.chance(50)) return { items: [kind, body] };
  return {
    members: dice.shuffle([
      ['"type"', kind],
      ['"value"', body],
    ]),
  };
};

/** Whether it looks like an operation in one of its notations. */
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
const otherAsset: Mutation = (value, dice) => {
  const [, amount, symbol] = isText(value) ? (/^"(-?[\d.]+) (\w+)"$/.exec(value) ?? []) : [];
  if (amount === undefined || symbol === undefined) return undefined;
  const [text, whole] = [dice.chance(70) ? `"${amount}"` : oddValue(dice), amount.replace('.', '')];
  if (dice.chance(40))
    return {
      members: [
        ['"amount"', text],
        ['"symbol"', dice.chance(70) ? `"${symbol}"` : oddText(dice)],
      ],
    };
  const identifier = dice.pick(['"@@000000021"', '"@@000000037"', `"${symbol}"`, oddText(dice)]);
  return {
    members: [
      ['"amount"', dice.chance(60) ? `"${whole}"` : oddValue(dice)],
      ['"precision"', dice.chance(70) ? '6' : oddNumber(dice)],
      ['"nai"', identifier],
    ],
  };
};

/** Mutations of objects and arrays. */
const ofParts: readonly Mutation[] = [dropped, dropped, repeated, renamed, extended, shuffled];
/** One that is listed several times is tried more often. */
const ofAll: readonly Mutation[] = [
  ...[odd, odd, odd, sameKind, sameKind, sameKind, donated, donated, donated, otherType, otherType, wrapped, unwrapped, nested],
  ...[respelled, respelled, otherNotation, otherNotation, otherAsset, otherAsset, ...ofParts],
];

/** The same name with its first letter escaped. */
function escaped(name: string): string {
  const first = name.codePointAt(1) ?? 0;
  return `"\\u${first.toString(16).padStart(4, '0')}${name.slice(2)}`;
}

/** Applies that many mutations at random places; the outer structure mostly stays. */
export function mutate(root: Root, dice: Dice, donors: Donors, count: number): void {
  for (let left = count; left > 0; left--) {
    const [whole, ...inside] = placesIn(root);
    if (whole === undefined) return;
    const isWhole = inside.length === 0 || dice.chance(15);
    // Prefers places near the top, because most are deep inside.
    const place = isWhole ? whole : dice.pick(dice.chance(30) ? inside.slice(0, 6) : inside);
    const mutation = dice.pick(isWhole && dice.chance(85) ? ofParts : ofAll);
    const changed = mutation(place.value, dice, place.name, donors);
    if (changed !== undefined) place.put(changed);
  }
}
