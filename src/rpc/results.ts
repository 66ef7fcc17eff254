import Type from 'typebox';
import type { TSchema } from 'typebox';
import type { Codec, JsonSchema } from '../codec/codec.ts';
import type { Json } from '../codec/json.ts';
import type { Notation } from '../codec/notation.ts';
import { isCoded } from './params.ts';
import type { TCoded } from './params.ts';

/** Turns what a handler answers into JSON; parts that no codec writes are JSON already. */
export type Encode = (value: unknown, notation: Notation) => unknown;

/** A part of a result that is JSON already, in the form of `codec`: the chain wrote it. */
export function writtenBy<T>(codec: Codec<T>): TCoded<Json> {
  const { describe, initial, toJson } = codec;
  return {
    ...Type.Unsafe<Json>({}),
    codec: {
      write: () => undefined,
      read: () => null,
      toJson: (json) => json,
      fromJson: (json) => json,
      initial: (notation) => toJson(initial(notation), notation),
      describe,
    },
  };
}

/** Compiles how results of a schema are written: where it is coded, the codec writes. Undefined when nothing is. */
export function compileEncode(schema: TSchema): Encode | undefined {
  if (isCoded(schema)) return (value, notation) => (value === undefined ? undefined : schema.codec.toJson(value, notation));
  if (Type.IsArray(schema)) return encodeItems(compileEncode(schema.items));
  if (!Type.IsObject(schema)) return undefined;
  const members = Object.entries(schema.properties).flatMap(([name, member]) => {
    const encode = compileEncode(member);
    return encode === undefined ? [] : [{ name, encode }];
  });
  return members.length === 0 ? undefined : (value, notation) => encodeMembers(members, value, notation);
}

function encodeItems(encode: Encode | undefined): Encode | undefined {
  if (encode === undefined) return undefined;
  return (values, notation) => (Array.isArray(values) ? values.map((value: unknown) => encode(value, notation)) : values);
}

function encodeMembers(members: readonly { readonly name: string; readonly encode: Encode }[], value: unknown, notation: Notation): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const encoded: Record<string, unknown> = { ...value };
  // A member that is not there stays away: the original leaves out what is not set.
  for (const { name, encode } of members) if (encoded[name] !== undefined) encoded[name] = encode(encoded[name], notation);
  return encoded;
}

/** A schema as documents show it: JSON Schema throughout, the parts of codecs described by them. */
export function describeSchema(schema: TSchema, notation: Notation): JsonSchema {
  if (isCoded(schema)) return { ...schema.codec.describe(notation), ...plainOptions(schema) };
  if (Type.IsArray(schema)) return { ...plainOptions(schema), type: 'array', items: describeSchema(schema.items, notation) };
  if (!Type.IsObject(schema)) return plainOptions(schema);
  const properties = Object.entries(schema.properties).map(([name, member]) => [name, describeSchema(member, notation)]);
  return { ...plainOptions(schema), type: 'object', properties: Object.fromEntries(properties), required: schema.required ?? [], additionalProperties: false };
}

/** What a schema says besides its parts, without what only this program understands. */
function plainOptions(schema: TSchema): JsonSchema {
  const { codec: _codec, items: _items, properties: _properties, ...plain }: Record<string, unknown> = { ...schema };
  return JSON.parse(JSON.stringify(plain));
}

/** The value of a schema where nothing is said: what get_signature shows. Optional members are left out. */
export function initialOf(schema: TSchema, notation: Notation): Json {
  const declared: { default?: Json } = schema;
  if (declared.default !== undefined) return declared.default;
  if (isCoded(schema)) return schema.codec.toJson(schema.codec.initial(notation), notation);
  if (Type.IsObject(schema)) {
    const members = Object.entries(schema.properties).filter(([, member]) => !Type.IsOptional(member));
    return Object.fromEntries(members.map(([name, member]) => [name, initialOf(member, notation)]));
  }
  if (Type.IsArray(schema)) return [];
  if (Type.IsString(schema)) return '';
  if (Type.IsBoolean(schema)) return false;
  return Type.IsInteger(schema) || Type.IsNumber(schema) ? 0 : null;
}
