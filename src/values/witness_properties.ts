import { refusals, Refusal } from '../base/refusal.ts';
import { ByteReader, ByteWriter, textBytes } from '../codec/bytes.ts';
import type { AlsoGiven, Codec, Given, PlainOf } from '../codec/codec.ts';
import { orderedMap, vector } from '../codec/collections.ts';
import type { Json } from '../codec/json.ts';
import { inMember, DecodeError } from '../codec/decode_error.ts';
import type { Notation } from '../codec/notation.ts';
import { hexBytes, text, u32 } from '../codec/primitives.ts';
import type { AnyCodec } from '../codec/struct.ts';
import { asset, type Asset } from './asset.ts';
import { price, type Price } from './price.ts';
import { NULL_KEY, publicKey, type PublicKey } from './public_key.ts';

/**
 * Properties of a witness by name, each value packed separately, so that properties unknown to this software are preserved
 * (wire.md 6.11). Ascending by name.
 */
export type PackedProperties = readonly (readonly [name: string, packed: string])[];

/** A public key that may also be given as 66 hex digits. */
const plainKey: Codec<string, string> = {
  ...publicKey,
  fromJson: (json, notation) =>
    typeof json === 'string' && /^[0-9a-f]{66}$/i.test(json) ? json.toLowerCase() : publicKey.fromJson(json, notation),
};

const LENGTH_BYTES = [1, 2]; // for a packed URL of up to 2048 bytes

/** A URL that may also be given as hex digits, of the URL or of its packed form. */
const plainUrl: Codec<string, string> = {
  ...text,
  fromJson(json, notation) {
    const said = text.fromJson(json, notation);
    if (said === '' || !/^(?:[0-9a-f]{2})+$/i.test(said)) return said;
    const bytes = Buffer.from(said, 'hex');
    const behindLength = LENGTH_BYTES.map((count) => bytes.subarray(count).toString('utf8'));
    return behindLength.find((url) => packedHex(text, url) === said.toLowerCase()) ?? bytes.toString('utf8');
  },
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
  property_malformed: { text: 'the value of the property {property} cannot be unpacked: {reason}', lineageCode: 8 },
});

/** The refusals of `unpackProperties`. */
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
  const valueOf = <T>(name: keyof typeof known, codec: Codec<T>, whenEmpty: T): T | undefined => {
    const hex = hexOf.get(name);
    return hex === '' ? whenEmpty : hex === undefined ? undefined : unpack(name, codec, hex);
  };
  return {
    key: valueOf('key', publicKey, NULL_KEY),
    account_creation_fee: valueOf('account_creation_fee', asset, NO_FEE),
    maximum_block_size: valueOf('maximum_block_size', u32, 0),
    new_signing_key: valueOf('new_signing_key', publicKey, NULL_KEY),
    exchange_rates: valueOf('exchange_rates', vector(price), []),
    url: valueOf('url', text, ''),
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

const pairs = orderedMap(text, hexBytes, (a, b) => Buffer.compare(textBytes(a), textBytes(b)));

/** Members in the interface's documentation that have no meaning on this chain. */
const MEANINGLESS = /^(?:account_subsidy_|sbd_)/;

/** Pairs of names and packed values; the default dialect also accepts an object of plain values and packs them. */
export const packedProperties: Codec<PackedProperties, PlainOf<typeof pairs> & AlsoGiven<Given<Partial<PlainProperties>>>> = {
  ...pairs,
  // The url, and whatever the lineage takes beside it.
  freeTexts: (properties) => properties.map(([, value]) => Buffer.from(value, 'hex').toString('latin1')),
  fromJson(json, notation) {
    const isPlain = notation.dialect === 'default' && typeof json === 'object' && json !== null && !Array.isArray(json);
    return pairs.fromJson(isPlain ? packAll(json, notation) : json, notation);
  },
  describe: (notation) =>
    notation.dialect === 'legacy' ? pairs.describe(notation) : { anyOf: [pairs.describe(notation), describePlain(notation)] },
};

function packAll(plain: { [member: string]: Json }, notation: Notation): Json {
  const meant = Object.entries(plain).filter(([name]) => !MEANINGLESS.test(name));
  return meant.map(([name, value]) => [name, inMember(name, () => pack(name, value, notation))]);
}

function pack(name: string, value: Json, notation: Notation): string {
  const codec: AnyCodec | undefined = plainForms.get(name);
  if (codec === undefined) throw new DecodeError(`unknown property; known are ${[...plainForms.keys()].join(', ')}`);
  return packedHex(codec, codec.fromJson(value, notation));
}

function packedHex<T>(codec: Codec<T>, value: T): string {
  const out = new ByteWriter(64);
  codec.write(out, value);
  return Buffer.from(out.view()).toString('hex');
}

function describePlain(notation: Notation): { type: string; properties: Record<string, ReturnType<typeof text.describe>> } {
  const properties = Object.fromEntries(Object.entries(known).map(([name, codec]) => [name, codec.describe(notation)]));
  return { type: 'object', properties };
}
