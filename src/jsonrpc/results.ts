import { type TSchema, Type } from './typebox.ts';
import type { Codec } from '../codec/codec.ts';
import type { Json } from '../codec/json.ts';
import type { Notation } from '../codec/notation.ts';
import { isCoded, type TCoded } from './params.ts';

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
  if (isCoded(schema)) return (value, notation) => schema.codec.toJson(value, notation);
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

function encodeMembers(
  members: readonly { readonly name: string; readonly encode: Encode }[],
  value: unknown,
  notation: Notation,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const encoded: Record<string, unknown> = { ...value };
  // A member that is not there stays away: the lineage leaves out what is not set.
  for (const { name, encode } of members) if (encoded[name] !== undefined) encoded[name] = encode(encoded[name], notation);
  return encoded;
}

/** Turns JSON into what a handler would have answered, for clients. */
export type Decode = (json: Json, notation: Notation) => unknown;

/** The way back of `compileEncode`. Undefined where JSON is what is given. */
export function compileDecode(schema: TSchema): Decode | undefined {
  if (isCoded(schema)) return (json, notation) => schema.codec.fromJson(json, notation);
  if (Type.IsArray(schema)) {
    const item = compileDecode(schema.items);
    return item === undefined ? undefined : (json, notation) => (Array.isArray(json) ? json.map((each) => item(each, notation)) : json);
  }
  if (!Type.IsObject(schema)) return undefined;
  const members = Object.entries(schema.properties).flatMap(([name, member]) => {
    const decode = compileDecode(member);
    return decode === undefined ? [] : [[name, decode] as const];
  });
  return members.length === 0 ? undefined : (json, notation) => decodeMembers(members, json, notation);
}

function decodeMembers(members: readonly (readonly [string, Decode])[], json: Json, notation: Notation): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const decoded: Record<string, unknown> = { ...json };
  for (const [name, decode] of members) {
    const value = json[name];
    if (value !== undefined) decoded[name] = decode(value, notation);
  }
  return decoded;
}
