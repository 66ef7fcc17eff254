import type { ByteReader } from './bytes.ts';
import { copying, type Codec, type CopyJson, type JsonSchema } from './codec.ts';
import type { Json } from './json.ts';
import { inMember, mismatch } from './decode_error.ts';
import { textWriter, writing, type WriteText } from './json_text.ts';
import { orNull } from './schemas.ts';

/** Orders two values: negative, zero or positive. */
export type Compare<T> = (a: T, b: T) => number;

const LARGEST_COLLECTION_BYTES = 10 * 1024 * 1024; // the lineage reader's limit on count × size in memory

function readCount(input: ByteReader): number {
  const count = input.varint();
  // Every item takes at least one byte, so a larger count is false and must not cause an allocation.
  if (count > input.remaining || count >= LARGEST_COLLECTION_BYTES) input.refuse(`${count} items cannot follow`);
  return count;
}

/** The items of a JSON array, each read by `read`; a mismatch names the index. */
function itemsFromJson<T>(json: Json, read: (item: Json) => T): T[] {
  if (!Array.isArray(json)) return mismatch('an array', json);
  return json.map((item, index) => inMember(index, () => read(item)));
}

/** Any number of items prefixed with their count, in the given order. */
export function vector<T, J>(item: Codec<T, J>): Codec<readonly T[], readonly J[]> {
  return {
    write(out, values) {
      out.varint(values.length);
      for (const value of values) item.write(out, value);
    },
    read(input) {
      const count = readCount(input);
      const values: T[] = [];
      for (let index = 0; index < count; index++) values.push(item.read(input));
      return values;
    },
    toJson: writing(
      (values: readonly T[], encoding) => values.map((value) => item.toJson(value, encoding)),
      listText(textWriter(item)),
    ),
    fromJson: copying(
      (json, encoding) => itemsFromJson(json, (one) => item.fromJson(one, encoding)),
      copyItems(item.fromJson.copy),
    ),
    initial: () => [],
    describe: (encoding) => ({ type: 'array', items: item.describe(encoding) }),
  };
}

function listText<T>(textOf: WriteText<T>): WriteText<readonly T[]> {
  return (values, encoding) => {
    let text = '[';
    for (let index = 0; index < values.length; index++) {
      const value = values[index];
      if (value !== undefined) text += index === 0 ? textOf(value, encoding) : `,${textOf(value, encoding)}`;
    }
    return `${text}]`;
  };
}

const MOST_COPIED = 0x7f; // the largest count that fits in one byte

/**
 * Copies up to `most` items of a JSON array, prefixed with their count, each with `copy`; without `copy` only an empty
 * array.
 */
function copyItems(copy: CopyJson = () => false, most = MOST_COPIED): CopyJson {
  return (from, out, encoding) => {
    if (!from.openArray()) return false;
    const countAt = out.length;
    out.u8(0);
    let count = 0;
    while (from.element()) {
      if (count === most || !copy(from, out, encoding)) return false;
      count++;
    }
    out.replace(countAt, count);
    return from.closeArray();
  };
}

/** Sorts by `compare` and keeps the first of equal items, as the lineage's ordered containers do. */
export function sortedUnique<T>(values: readonly T[], compare: Compare<T>): readonly T[] {
  if (values.every((value, index) => index === 0 || isSmaller(values[index - 1], value, compare))) return values;
  return values
    .toSorted(compare)
    .filter((value, index, sorted) => index === 0 || isSmaller(sorted[index - 1], value, compare));
}

function isSmaller<T>(a: T | undefined, b: T, compare: Compare<T>): boolean {
  return a !== undefined && compare(a, b) < 0;
}

/** An ordered set: reads items in any order; keeps and writes them ascending, without duplicates. */
export function orderedSet<T, J>(item: Codec<T, J>, compare: Compare<T>): Codec<readonly T[], readonly J[]> {
  const list = vector(item);
  return {
    ...list,
    read: (input) => sortedUnique(list.read(input), compare),
    // More than one item would have to be sorted.
    fromJson: copying(
      (json, encoding) => sortedUnique(list.fromJson(json, encoding), compare),
      copyItems(item.fromJson.copy, 1),
    ),
  };
}

/** Two consecutive values; in JSON an array of two. */
export function pair<A, B, I, J>(first: Codec<A, I>, second: Codec<B, J>): Codec<readonly [A, B], readonly [I, J]> {
  const [firstText, secondText] = [textWriter(first), textWriter(second)];
  return {
    write(out, [a, b]) {
      first.write(out, a);
      second.write(out, b);
    },
    read: (input) => [first.read(input), second.read(input)],
    toJson: writing(
      ([a, b]: readonly [A, B], encoding) => [first.toJson(a, encoding), second.toJson(b, encoding)],
      ([a, b], encoding) => `[${firstText(a, encoding)},${secondText(b, encoding)}]`,
    ),
    fromJson(json, encoding) {
      if (!Array.isArray(json) || json.length !== 2) return mismatch('an array of two', json);
      const [a = null, b = null] = json;
      return [inMember(0, () => first.fromJson(a, encoding)), inMember(1, () => second.fromJson(b, encoding))];
    },
    initial: (encoding) => [first.initial(encoding), second.initial(encoding)],
    describe: (encoding) => describeTuple(first.describe(encoding), second.describe(encoding)),
  };
}

/** A list of these values, each in its place, and no others. */
export function describeTuple(...places: readonly JsonSchema[]): JsonSchema {
  // Generators that know only older drafts ask for `items`, and see a list of that length.
  return { type: 'array', prefixItems: places, items: true, minItems: places.length, maxItems: places.length };
}

/** An ordered map as pairs ascending by key; the first of equal keys wins. */
export function orderedMap<K, V, I, J>(
  key: Codec<K, I>,
  value: Codec<V, J>,
  compare: Compare<K>,
): Codec<readonly (readonly [K, V])[], readonly (readonly [I, J])[]> {
  return orderedSet(pair(key, value), ([a], [b]) => compare(a, b));
}

/** An optional value: one byte says whether it is present; in JSON an absent member is omitted. */
export function optional<T, J>(item: Codec<T, J>): Codec<T | undefined, J | undefined> {
  const textOf = textWriter(item);
  return {
    ...(item.freeTexts === undefined
      ? {}
      : { freeTexts: (value: T | undefined) => (value === undefined ? [] : (item.freeTexts?.(value) ?? [])) }),
    write(out, value) {
      out.u8(value === undefined ? 0 : 1);
      if (value !== undefined) item.write(out, value);
    },
    read(input) {
      const tag = input.u8();
      if (tag > 1) input.refuse('an optional value starts with neither 00 nor 01');
      return tag === 1 ? item.read(input) : undefined;
    },
    toJson: writing(
      (value: T | undefined, encoding) => (value === undefined ? null : item.toJson(value, encoding)),
      (value, encoding) => (value === undefined ? 'null' : textOf(value, encoding)),
    ),
    fromJson: copying(
      (json, encoding) => (json === null ? undefined : item.fromJson(json, encoding)),
      copyPresent(item.fromJson.copy),
    ),
    initial: () => undefined,
    describe: (encoding) =>
      encoding.describesGiven === true ? orNull(item.describe(encoding)) : item.describe(encoding),
    optional: true,
  };
}

function copyPresent(copy: CopyJson | undefined): CopyJson | undefined {
  return (
    copy &&
    ((from, out, encoding) => {
      out.u8(1);
      return copy(from, out, encoding);
    })
  );
}

/** The same codec with another default for an omitted member. */
export function withDefault<T, J>(item: Codec<T, J>, value: T): Codec<T, J> {
  return { ...item, initial: () => value };
}

/** The same codec under a member name that contains the coin's name where the declaration says `coin`. */
export function withCoinName<T, J>(item: Codec<T, J>): Codec<T, J> {
  return { ...item, hasCoinName: true };
}
