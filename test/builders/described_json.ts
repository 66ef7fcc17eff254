import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import type { JsonSchema, JsonSchemaValue } from '../../src/codec/codec.ts';
import type { Json } from '../../src/codec/json.ts';
import type { Notation } from '../../src/codec/notation.ts';
import { canonicalName } from '../../src/values/account_name.ts';
import { assetText } from '../../src/values/asset.ts';
import { publicKeyText } from '../../src/values/public_key.ts';
import { timeText } from '../../src/values/time.ts';

/** Random JSON that the description of a codec allows; so descriptions are tested too. */
export function describedJson(schema: JsonSchema, notation: Notation): fc.Arbitrary<Json> {
  if (schema['const'] !== undefined) return fc.constant(plain(schema['const']));
  if (schema['anyOf'] !== undefined) return fc.oneof(...schemas(schema['anyOf']).map((one) => describedJson(one, notation)));
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum'].map(plain));
  const { type } = schema;
  if (type === 'null') return fc.constant(null);
  if (type === 'object') return describedObject(schema, notation);
  if (type === 'array') return describedArray(schema, notation);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return integers(schema);
  if (Array.isArray(type)) return largeInteger(typeof schema['description'] === 'string' ? schema['description'] : '');
  return describedText(schema, notation);
}

function integers({ minimum, maximum }: JsonSchema): fc.Arbitrary<number> {
  return fc.integer({ ...(typeof minimum === 'number' ? { min: minimum } : {}), ...(typeof maximum === 'number' ? { max: maximum } : {}) });
}

/** The strings of a list that may be missing. */
function namesIn(list: JsonSchema[string] | undefined): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}

function describedObject(schema: JsonSchema, notation: Notation): fc.Arbitrary<Json> {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  if ('amount' in properties && 'symbol' in properties)
    return assets(notation).map(({ amount, symbol }) => ({ amount: assetText({ amount, symbol }).split(' ')[0] ?? '', symbol }));
  if ('amount' in properties && 'nai' in properties)
    return assets(notation).map(({ amount, symbol }) => ({ amount: String(amount), precision: 6, nai: naiFor(symbol, notation) }));
  const members = Object.entries(properties);
  const values = members.map(([name, one]) => [name, isSchema(one) ? describedJson(one, notation) : fc.constant(null)] as const);
  const some = fc.record(Object.fromEntries(values), {
    requiredKeys: namesIn(schema['required']).filter((name) => name in properties),
    noNullPrototype: true,
  });
  return some.map((given) => Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value])));
}

function describedArray(schema: JsonSchema, notation: Notation): fc.Arbitrary<Json> {
  if (schema['prefixItems'] !== undefined) return tuple(schemas(schema['prefixItems']), notation);
  // A pair is described as an array of two schemas.
  if (Array.isArray(schema['items'])) return tuple(schemas(schema['items']), notation);
  const item = present(schemas([schema['items'] ?? {}])[0], 'the schema of the items');
  return fc.array(describedJson(item, notation), { maxLength: 5 });
}

function tuple(items: readonly JsonSchema[], notation: Notation): fc.Arbitrary<Json> {
  return fc.tuple(...items.map((item) => describedJson(item, notation))).map((values) => values.slice());
}

function describedText(schema: JsonSchema, notation: Notation): fc.Arbitrary<Json> {
  const { pattern, description } = schema;
  if (description === 'account name') return accountNames();
  if (description === 'account name, not the empty one') return accountNames().filter((name) => name !== '');
  if (typeof description === 'string' && description.startsWith('name of an application;'))
    return fc.oneof(texts(), ANY_NAME).filter((name) => canonicalName(name) !== undefined);
  if (typeof description === 'string' && description.includes('2^128')) return integersBelow(128n).map(String);
  if (typeof description === 'string' && description.includes('revision below')) return versions();
  if (schema['examples'] !== undefined) return assetTexts(notation);
  if (schema['minLength'] === 3 && schema['maxLength'] === 6) return symbols(notation);
  if (typeof pattern !== 'string') return texts();
  if (pattern.startsWith(`^${notation.keyPrefix}`)) return keyTexts(notation);
  if (pattern.includes('T')) return times().map(timeText);
  return textMatching(pattern);
}

/** Cached by pattern: making one costs more than a thousand values. */
const matching = new Map<string, fc.Arbitrary<string>>();

function textMatching(pattern: string): fc.Arbitrary<string> {
  const known = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
  matching.set(pattern, known);
  return known;
}

function integersBelow(bits: bigint): fc.Arbitrary<bigint> {
  const max = 2n ** bits - 1n;
  return fc.oneof(fc.bigInt({ min: 0n, max }), fc.constantFrom(max, ...EDGES.filter((edge) => edge >= 0n && edge <= max)));
}

function versions(): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(255), fc.nat(255), fc.nat(65_535)).map((parts) => parts.join('.'));
}

const ANY_NAME = fc.string({ unit: fc.constantFrom(...'ABZabz09-_+/'), maxLength: 34 });
const ACCOUNT_NAMES = fc
  .oneof(fc.constantFrom('alice', 'bob', 'initminer', ''), ANY_NAME)
  .filter((text) => canonicalName(text) !== undefined);

/** Plausible names, and others. */
export function accountNames(): fc.Arbitrary<string> {
  return ACCOUNT_NAMES;
}

/** Symbols of the chain, and others. */
export function symbols(notation: Notation): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(notation.coinSymbol, notation.vestsSymbol, 'USD', 'EUR', 'CHF', 'CNY', 'GBP'),
    textMatching('^[A-Za-z]{3,6}$'),
  );
}

const LARGEST_TEXT_AMOUNT = 10n ** 15n;

function assets(notation: Notation): fc.Arbitrary<{ amount: bigint; symbol: string }> {
  return fc.record({ amount: fc.bigInt({ min: 0n, max: LARGEST_TEXT_AMOUNT }), symbol: symbols(notation) });
}

function assetTexts(notation: Notation): fc.Arbitrary<string> {
  return assets(notation).map(assetText);
}

function naiFor(symbol: string, notation: Notation): string {
  const identifiers = { [notation.coinSymbol]: '@@000000021', [notation.vestsSymbol]: '@@000000037' };
  return identifiers[symbol] ?? symbol;
}

/** Any 33 bytes: keys need not be points. */
function keyTexts(notation: Notation): fc.Arbitrary<string> {
  const bytes = fc.uint8Array({ minLength: 33, maxLength: 33 });
  return bytes.map((key) => publicKeyText(Buffer.from(key).toString('hex'), notation.keyPrefix));
}

export function times(): fc.Arbitrary<number> {
  return fc.oneof(fc.constantFrom(0, 0xffff_ffff, 951_782_400), fc.integer({ min: 0, max: 0xffff_ffff }));
}

const TEXTS = fc.string({
  unit: fc.oneof(fc.constantFrom('\0', '"', '\\', '\n', 'ž', '€', '😀', '\u{fffd}'), fc.string({ minLength: 1, maxLength: 1 })),
});

export function texts(): fc.Arbitrary<string> {
  return TEXTS;
}

/** As numbers, bigints or decimal strings, within the bounds that the description names. */
function largeInteger(description: string): fc.Arbitrary<Json> {
  const [lowest = '0', highest = '0'] = description.match(/-?\d{3,}|\b0\b/g) ?? [];
  const [min, max] = [BigInt(lowest), BigInt(highest)];
  const any = fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(...EDGES.filter((edge) => edge >= min && edge <= max)));
  const small = fc.integer({ min: 0, max: 1000 });
  return fc.oneof(small, any, any.map(String));
}

/** Bounds at which integers become strings in JSON, lose digits as floats, or overflow. */
export const EDGES: readonly bigint[] = [0n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n].flatMap((edge) =>
  [edge - 1n, edge, edge + 1n].flatMap((value) => [value, -value]),
);

function isSchema(value: JsonSchemaValue | undefined): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemas(value: JsonSchemaValue): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function plain(value: JsonSchemaValue): Json {
  return typeof value === 'number' || typeof value === 'string' ? value : null;
}
