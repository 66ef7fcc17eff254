import { refusals, Refusal } from '../base/refusal.ts';
import { ByteReader, ByteWriter, textByteCount, textBytes } from '../codec/bytes.ts';
import type { AlsoGiven, Codec, Given, JsonSchema, PlainOf } from '../codec/codec.ts';
import { orderedMap, vector } from '../codec/collections.ts';
import type { Json } from '../codec/json.ts';
import { inMember, DecodeError } from '../codec/decode_error.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { text, u32 } from '../codec/primitives.ts';
import type { AnyCodec } from '../codec/struct.ts';
import { asset, type Asset } from './asset.ts';
import { sentAnyText, sentBytes } from './limited_text.ts';
import { MAX_URL_BYTES } from './limits.ts';
import { price, type Price } from './price.ts';
import { NULL_KEY, publicKey, type PublicKey } from './public_key.ts';

/**
 * Properties of a witness by name, each value packed separately, so that properties unknown to this software are
 * preserved (wire_format.md#witness-properties). Ascending by name.
 */
export type PackedProperties = readonly (readonly [name: string, packed: string])[];

/** A public key that may also be given as 66 hex digits. */
const plainKey: Codec<string, string> = {
  ...publicKey,
  fromJson: (json, encoding) =>
    typeof json === 'string' && /^[0-9a-f]{66}$/i.test(json) ? json.toLowerCase() : publicKey.fromJson(json, encoding),
  describe: (encoding) =>
    encoding.describesGiven === true
      ? { anyOf: [publicKey.describe(encoding), { type: 'string', pattern: '^[0-9A-Fa-f]{66}$' }] }
      : publicKey.describe(encoding),
};

const LENGTH_BYTES = [1, 2]; // for a packed URL of up to 2048 bytes
const MOST_URL_DIGITS = 2 * (MAX_URL_BYTES + Math.max(...LENGTH_BYTES));

/** A URL that may also be given as hex digits, of the URL or of its packed form. */
const plainUrl: Codec<string, string> = {
  ...text,
  fromJson(json, encoding) {
    const said = text.fromJson(json, encoding);
    if (said.length > MOST_URL_DIGITS)
      throw new DecodeError(`at most ${MAX_URL_BYTES} bytes expected, got ${textByteCount(said)}`);
    if (said === '' || !/^(?:[0-9a-f]{2})+$/i.test(said)) return said;
    const bytes = Buffer.from(said, 'hex');
    const behindLength = LENGTH_BYTES.map((count) => bytes.subarray(count).toString('utf8'));
    return behindLength.find((url) => packedHex(text, url) === said.toLowerCase()) ?? bytes.toString('utf8');
  },
  describe: () => ({
    type: 'string',
    maxLength: MOST_URL_DIGITS,
    description: `at most ${MAX_URL_BYTES} bytes, as a text or as hex digits`,
  }),
};

/** The codec of each known property. */
const known = {
  key: plainKey,
  account_creation_fee: asset,
  maximum_block_size: u32,
  new_signing_key: plainKey,
  exchange_rates: vector(price),
  url: plainUrl,
} as const;
type PlainProperties = { readonly [K in keyof typeof known]: PlainOf<(typeof known)[K]> };
const plainForms: ReadonlyMap<string, AnyCodec> = new Map(Object.entries(known));

const refuse = refusals({
  property_name_not_utf8: 'property {number} has a name that is no valid UTF-8',
  property_malformed: { text: 'the value of the property {property} cannot be unpacked: {reason}', lineageCode: 8 },
});

/** The refusals of `unpackProperties` and `requireUtf8Names`. */
export const witnessPropertyRefusals = refuse.texts;

/** Values of the known properties; undefined if not given. */
export interface WitnessProperties {
  readonly key: PublicKey | undefined;
  readonly account_creation_fee: Asset | undefined;
  readonly maximum_block_size: number | undefined;
  readonly new_signing_key: PublicKey | undefined;
  readonly exchange_rates: readonly Price[] | undefined;
  readonly url: string | undefined;
}

const NO_FEE: Asset = { amount: 0n, symbol: '' };

/** Reads the values of the known properties; bytes after a value are ignored. */
export function unpackProperties(packed: PackedProperties): WitnessProperties {
  const hexOf = new Map(packed);
  const propertyValue = <T>(name: keyof typeof known, codec: Codec<T>, whenEmpty: T): T | undefined => {
    const hex = hexOf.get(name);
    return hex === '' ? whenEmpty : hex === undefined ? undefined : unpack(name, codec, hex);
  };
  return {
    key: propertyValue('key', publicKey, NULL_KEY),
    account_creation_fee: propertyValue('account_creation_fee', asset, NO_FEE),
    maximum_block_size: propertyValue('maximum_block_size', u32, 0),
    new_signing_key: propertyValue('new_signing_key', publicKey, NULL_KEY),
    exchange_rates: propertyValue('exchange_rates', vector(price), []),
    url: propertyValue('url', text, ''),
  };
}

function unpack<T>(name: string, codec: Codec<T>, hex: string): T {
  try {
    return codec.read(new ByteReader(Buffer.from(hex, 'hex')));
  } catch (error) {
    if (error instanceof Refusal) refuse.property_malformed({ property: name, reason: error.message });
    throw error;
  }
}

/** Refuses names of properties that are no valid UTF-8; the message counts properties from 1. */
export function requireUtf8Names(properties: PackedProperties): void {
  const broken = properties.findIndex(([name]) => !name.isWellFormed());
  if (broken >= 0) refuse.property_name_not_utf8({ number: broken + 1 });
}

const pairs = orderedMap(sentAnyText, sentBytes, (a, b) => Buffer.compare(textBytes(a), textBytes(b)));

/** Members in the interface's documentation that have no meaning on this chain. */
const MEANINGLESS = /^(?:account_subsidy_|sbd_)/;

/** Pairs of names and packed values; the default dialect also accepts an object of plain values and packs them. */
export const packedProperties: Codec<
  PackedProperties,
  PlainOf<typeof pairs> & AlsoGiven<Given<Partial<PlainProperties>>>
> = {
  ...pairs,
  // The url, and whatever the lineage takes beside it.
  freeTexts: (properties) => properties.map(([, value]) => Buffer.from(value, 'hex').toString('latin1')),
  fromJson(json, encoding) {
    const isPlain = encoding.dialect === 'default' && typeof json === 'object' && json !== null && !Array.isArray(json);
    return pairs.fromJson(isPlain ? packAll(json, encoding) : json, encoding);
  },
  describe: (encoding) =>
    encoding.dialect === 'legacy'
      ? pairs.describe(encoding)
      : { anyOf: [pairs.describe(encoding), describePlain(encoding)] },
};

function packAll(plain: { [member: string]: Json }, encoding: EncodingOptions): Json {
  const meant = Object.entries(plain).filter(([name]) => !MEANINGLESS.test(name));
  return meant.map(([name, value]) => [name, inMember(name, () => pack(name, value, encoding))]);
}

function pack(name: string, value: Json, encoding: EncodingOptions): string {
  const codec: AnyCodec | undefined = plainForms.get(name);
  if (codec === undefined) throw new DecodeError(`unknown property; known are ${[...plainForms.keys()].join(', ')}`);
  return packedHex(codec, codec.fromJson(value, encoding));
}

function packedHex<T>(codec: Codec<T>, value: T): string {
  const out = new ByteWriter(64);
  codec.write(out, value);
  return Buffer.from(out.view()).toString('hex');
}

function describePlain(encoding: EncodingOptions): JsonSchema {
  const properties = Object.fromEntries(Object.entries(known).map(([name, codec]) => [name, codec.describe(encoding)]));
  return { type: 'object', properties, patternProperties: { [MEANINGLESS.source]: {} }, additionalProperties: false };
}
