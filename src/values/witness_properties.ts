import { refusals, Refusal } from '../base/refusal.ts';
import { ByteReader, ByteWriter, textBytes } from '../codec/bytes.ts';
import type { Codec, ValueOf } from '../codec/codec.ts';
import { orderedMap, vector } from '../codec/collections.ts';
import type { Json } from '../codec/json.ts';
import { inMember, Misfit } from '../codec/misfit.ts';
import type { Notation } from '../codec/notation.ts';
import { hexBytes, text, u32 } from '../codec/primitives.ts';
import type { AnyCodec } from '../codec/struct.ts';
import { asset } from './asset.ts';
import { price } from './price.ts';
import { NULL_KEY, publicKey } from './public_key.ts';

/**
 * Properties of a witness by name, each value packed in bytes of its own: names that this software does not know travel along
 * (wire.md 6.11). Ascending by name.
 */
export type PackedProperties = readonly (readonly [name: string, packed: string])[];

/** A public key that may also be said as 66 hex digits. */
const plainKey: Codec<string> = {
  ...publicKey,
  fromJson: (json, notation) =>
    typeof json === 'string' && /^[0-9a-f]{66}$/i.test(json) ? json.toLowerCase() : publicKey.fromJson(json, notation),
};

/** An address that may also be said as hex digits, of the address or of its packed form. */
const plainUrl: Codec<string> = {
  ...text,
  fromJson(json, notation) {
    const said = text.fromJson(json, notation);
    if (said === '' || !/^(?:[0-9a-f]{2})+$/i.test(said)) return said;
    const bytes = Buffer.from(said, 'hex');
    const isPacked = bytes[0] === bytes.length - 1;
    return (isPacked ? bytes.subarray(1) : bytes).toString('utf8');
  },
};

/** What each known name packs, in the order of the interface. */
const known = {
  key: plainKey,
  account_creation_fee: asset,
  maximum_block_size: u32,
  new_signing_key: plainKey,
  exchange_rates: vector(price),
  url: plainUrl,
} as const;

/** Values of the known names, where they are given. */
export type WitnessProperties = { readonly [N in keyof typeof known]?: ValueOf<(typeof known)[N]> };

/** What an empty value says. */
const whenEmpty: Required<WitnessProperties> = {
  key: NULL_KEY,
  account_creation_fee: { amount: 0n, symbol: '' },
  maximum_block_size: 0,
  new_signing_key: NULL_KEY,
  exchange_rates: [],
  url: '',
};

const refuse = refusals({ property_malformed: { text: 'the value of {name} cannot be unpacked', lineageCode: 8 } });

/** The texts of `unpackProperties`. */
export const witnessPropertyRefusals = refuse.texts;

/** Reads the values of the known names; what follows a value is not looked at. */
export function unpackProperties(packed: PackedProperties): WitnessProperties {
  const entries = packed.filter(([name]) => isKnown(name)).map(([name, hex]) => [name, isKnown(name) ? unpack(name, hex) : undefined]);
  return Object.fromEntries(entries);
}

function isKnown(name: string): name is keyof typeof known {
  return Object.hasOwn(known, name);
}

function unpack(name: keyof typeof known, hex: string): unknown {
  if (hex === '') return whenEmpty[name];
  try {
    return known[name].read(new ByteReader(Buffer.from(hex, 'hex')));
  } catch (error) {
    if (error instanceof Refusal) refuse.property_malformed({ name });
    throw error;
  }
}

const pairs = orderedMap(text, hexBytes, (a, b) => Buffer.compare(textBytes(a), textBytes(b)));

/** Members of the interface's own document that have no meaning on this chain. */
const MEANINGLESS = /^(?:account_subsidy_|sbd_)/;

/** Pairs of names and packed values; the default dialect also reads an object of plain values, which it packs. */
export const packedProperties: Codec<PackedProperties> = {
  ...pairs,
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
  if (!isKnown(name)) throw new Misfit(`unknown property; known are ${Object.keys(known).join(', ')}`);
  const codec: AnyCodec = known[name];
  const out = new ByteWriter(64);
  codec.write(out, codec.fromJson(value, notation));
  return Buffer.from(out.view()).toString('hex');
}

function describePlain(notation: Notation): { type: string; properties: Record<string, ReturnType<typeof text.describe>> } {
  const properties = Object.fromEntries(Object.entries(known).map(([name, codec]) => [name, codec.describe(notation)]));
  return { type: 'object', properties };
}
