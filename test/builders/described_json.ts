import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import type { JsonSchema, JsonSchemaValue } from '../../src/codec/codec.ts';
import type { Json } from '../../src/codec/json.ts';
import { CERTIFICATE_FORM, provenCertificate } from '../../src/blocks/finality/finality_proof.ts';
import { neutralEncoding, type EncodingOptions } from '../../src/codec/encoding_options.ts';
import { canonicalName } from '../../src/values/account_name.ts';
import { assetText } from '../../src/values/asset.ts';
import { CHECKPOINT_FORM, checkpointText } from '../../src/values/checkpoint.ts';
import { publicKeyText } from '../../src/values/public_key.ts';
import { timeText } from '../../src/values/time.ts';

/** Random JSON that the description of a codec allows; so descriptions are tested too. */
export function describedJson(schema: JsonSchema, encoding: EncodingOptions): fc.Arbitrary<Json> {
  const { const: constant } = schema;
  if (constant !== undefined)
    return fc.constant(isSchema(constant) ? JSON.parse(JSON.stringify(constant)) : plain(constant));
  if (schema['anyOf'] !== undefined) return describedChoice(schemas(schema['anyOf']), encoding);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum'].map(plain));
  const { type } = schema;
  if (type === 'null') return fc.constant(null);
  if (type === 'object') return describedObject(schema, encoding);
  if (type === 'array') return describedArray(schema, encoding);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return integers(schema);
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => describedJson({ ...schema, type: one }, encoding)));
  return describedText(schema, encoding);
}

/** One of several forms; of an integer that may be a text, any value in either. */
function describedChoice(choices: readonly JsonSchema[], encoding: EncodingOptions): fc.Arbitrary<Json> {
  const [integer, text] = ['integer', 'string'].map((type) => choices.find((choice) => choice['type'] === type));
  if (integer === undefined || text === undefined)
    return fc.oneof(...choices.map((one) => describedJson(one, encoding)));
  const others = choices
    .filter((choice) => choice !== integer && choice !== text)
    .map((one) => describedJson(one, encoding));
  return fc.oneof(integers(integer), integersOfText(text), ...others);
}

/** The integers whose decimal texts match, as texts and as numbers: JSON that is read exactly may have either. */
function integersOfText({ pattern }: JsonSchema): fc.Arbitrary<Json> {
  const matching = new RegExp(String(pattern));
  const [min, max] = [-(2n ** 63n), 2n ** 64n - 1n].map((bound) => (matching.test(String(bound)) ? bound : 0n));
  const any = fc
    .oneof(fc.bigInt({ min: min ?? 0n, max: max ?? 0n }), fc.constantFrom(...EDGES))
    .filter((value) => matching.test(String(value)));
  return fc.oneof(any, any.map(String));
}

function integers({ minimum, maximum }: JsonSchema): fc.Arbitrary<Json> {
  if (typeof minimum === 'bigint' || typeof maximum === 'bigint')
    return fc.bigInt({ min: BigInt(String(minimum ?? 0)), max: BigInt(String(maximum ?? 0)) });
  return fc.integer({
    ...(typeof minimum === 'number' ? { min: minimum } : {}),
    ...(typeof maximum === 'number' ? { max: maximum } : {}),
  });
}

/** The strings of a list that may be missing. */
function listNames(list: JsonSchema[string] | undefined): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}

function describedObject(schema: JsonSchema, encoding: EncodingOptions): fc.Arbitrary<Json> {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  if ('amount' in properties && 'symbol' in properties)
    return assets(encoding).map(({ amount, symbol }) => ({
      amount: assetText({ amount, symbol }).split(' ')[0] ?? '',
      symbol,
    }));
  if ('amount' in properties && 'nai' in properties)
    return assets(encoding).map(({ amount, symbol }) => ({
      amount: String(amount),
      precision: 6,
      nai: assetNai(symbol, encoding),
    }));
  const members = Object.entries(properties);
  const values = members.map(
    ([name, one]) => [name, isSchema(one) ? describedJson(one, encoding) : fc.constant(null)] as const,
  );
  const some = fc.record(Object.fromEntries(values), {
    requiredKeys: listNames(schema['required']).filter((name) => name in properties),
    noNullPrototype: true,
  });
  return some.map((given) => Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value])));
}

function describedArray(schema: JsonSchema, encoding: EncodingOptions): fc.Arbitrary<Json> {
  if (schema['prefixItems'] !== undefined) return tuple(schemas(schema['prefixItems']), encoding);
  const item = present(schemas([schema['items'] ?? {}])[0], 'the schema of the items');
  return fc.array(describedJson(item, encoding), { maxLength: 5 });
}

function tuple(items: readonly JsonSchema[], encoding: EncodingOptions): fc.Arbitrary<Json> {
  return fc.tuple(...items.map((item) => describedJson(item, encoding))).map((values) => values.slice());
}

function describedText(schema: JsonSchema, encoding: EncodingOptions): fc.Arbitrary<Json> {
  const { pattern, description } = schema;
  if (description === 'account name') return accountNames();
  if (description === 'account name, not the empty one') return accountNames().filter((name) => name !== '');
  if (typeof description === 'string' && description.startsWith('name of an application;'))
    return fc.oneof(texts(), ANY_NAME).filter((name) => canonicalName(name) !== undefined);
  if (typeof description === 'string' && description.includes('2^128')) return arbitraryIntegers(128n).map(String);
  if (typeof description === 'string' && description.includes('revision below')) return versions();
  if (description === CERTIFICATE_FORM) return certificates();
  if (description === CHECKPOINT_FORM) return checkpoints();
  if (schema['examples'] !== undefined) return assetTexts(encoding);
  if (schema['minLength'] === 3 && schema['maxLength'] === 6) return symbols(encoding);
  if (typeof pattern !== 'string') return texts();
  if (pattern.startsWith(`^${encoding.keyPrefix}`)) return keyTexts(encoding);
  if (pattern.includes('T')) return times().map(timeText);
  return textMatching(pattern);
}

const hexDigits = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString('hex'));

function certificates(): fc.Arbitrary<Json> {
  const [small, digest] = [fc.nat(0xffff_ffff), hexDigits(32)];
  const subject = fc.record({
    ...{ epoch: small, voters: digest, view: small, kind: fc.constantFrom('prepare' as const, 'commit' as const) },
    ...{ block: hexDigits(20), header: digest, root: digest, next_voters: digest },
  });
  const voters = fc.uniqueArray(fc.nat(255), { maxLength: 5 }).map((all) => all.toSorted((a, b) => a - b));
  return fc
    .tuple(subject, voters, hexDigits(65))
    .map(([stated, signers, signature]) =>
      provenCertificate.toJson(
        { subject: stated, signatures: signers.map((voter) => ({ voter, signature })) },
        neutralEncoding,
      ),
    );
}

function checkpoints(): fc.Arbitrary<Json> {
  return fc
    .tuple(fc.nat(0xffff_ffff), hexDigits(16), hexDigits(32), times())
    .map(([number, rest, voters, time]) =>
      checkpointText({ number, id: number.toString(16).padStart(8, '0') + rest, voters, time }),
    );
}

/** Cached by pattern: making one costs more than a thousand values. */
const matching = new Map<string, fc.Arbitrary<string>>();

function textMatching(pattern: string): fc.Arbitrary<string> {
  const known = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
  matching.set(pattern, known);
  return known;
}

function arbitraryIntegers(bits: bigint): fc.Arbitrary<bigint> {
  const max = 2n ** bits - 1n;
  return fc.oneof(
    fc.bigInt({ min: 0n, max }),
    fc.constantFrom(max, ...EDGES.filter((edge) => edge >= 0n && edge <= max)),
  );
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
export function symbols(encoding: EncodingOptions): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(encoding.coinSymbol, encoding.vestsSymbol, 'USD', 'EUR', 'CHF', 'CNY', 'GBP'),
    textMatching('^[A-Za-z]{3,6}$'),
  );
}

const LARGEST_TEXT_AMOUNT = 10n ** 15n;

function assets(encoding: EncodingOptions): fc.Arbitrary<{ amount: bigint; symbol: string }> {
  return fc.record({ amount: fc.bigInt({ min: 0n, max: LARGEST_TEXT_AMOUNT }), symbol: symbols(encoding) });
}

function assetTexts(encoding: EncodingOptions): fc.Arbitrary<string> {
  return assets(encoding).map(assetText);
}

function assetNai(symbol: string, encoding: EncodingOptions): string {
  const identifiers = { [encoding.coinSymbol]: '@@000000021', [encoding.vestsSymbol]: '@@000000037' };
  return identifiers[symbol] ?? symbol;
}

/** Any 33 bytes: keys need not be points. */
function keyTexts(encoding: EncodingOptions): fc.Arbitrary<string> {
  const bytes = fc.uint8Array({ minLength: 33, maxLength: 33 });
  return bytes.map((key) => publicKeyText(Buffer.from(key).toString('hex'), encoding.keyPrefix));
}

export function times(): fc.Arbitrary<number> {
  return fc.oneof(fc.constantFrom(0, 0xffff_ffff, 951_782_400), fc.integer({ min: 0, max: 0xffff_ffff }));
}

const TEXTS = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\0', '"', '\\', '\n', 'ž', '€', '😀', '\u{fffd}'),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
});

export function texts(): fc.Arbitrary<string> {
  return TEXTS;
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
