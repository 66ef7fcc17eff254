import { type TSchema, Type } from './typebox.ts';
import type { Codec } from '../../codec/codec.ts';
import type { Json } from '../../codec/json.ts';
import { textWriter, type WriteText } from '../../codec/json_text.ts';
import { writeJson } from '../../codec/json_writer.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
import { isCoded, type TCoded } from './params.ts';

/** Turns a handler's result into JSON; parts without a codec are JSON already. */
export type Encode = (value: unknown, encoding: EncodingOptions) => unknown;

/** A part of a result that is already JSON in the form of `codec`, because the chain wrote it. */
export function codedResult<T, J>(codec: Codec<T, J>): TCoded<Json, J> {
  const { describe, initial, toJson } = codec;
  return {
    ...Type.Unsafe<Json>({}),
    codec: {
      write: () => undefined,
      read: () => null,
      toJson: (json) => json,
      fromJson: (json) => json,
      initial: (encoding) => toJson(initial(encoding), encoding),
      describe,
    },
  };
}

/**
 * Compiles the encoder for results of a schema: coded parts are written by their codecs. Undefined when there are none.
 */
export function compileEncode(schema: TSchema): Encode | undefined {
  if (isCoded(schema)) return (value, encoding) => schema.codec.toJson(value, encoding);
  if (Type.IsArray(schema)) return encodeItems(compileEncode(schema.items));
  if (!Type.IsObject(schema)) return undefined;
  const members = Object.entries(schema.properties).flatMap(([name, member]) => {
    const encode = compileEncode(member);
    return encode === undefined ? [] : [{ name, encode }];
  });
  return members.length === 0 ? undefined : (value, encoding) => encodeMembers(members, value, encoding);
}

function encodeItems(encode: Encode | undefined): Encode | undefined {
  if (encode === undefined) return undefined;
  return (values, encoding) =>
    Array.isArray(values) ? values.map((value: unknown) => encode(value, encoding)) : values;
}

function encodeMembers(
  members: readonly { readonly name: string; readonly encode: Encode }[],
  value: unknown,
  encoding: EncodingOptions,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const encoded: Record<string, unknown> = { ...value };
  // An absent member stays absent: the lineage leaves out what is not set.
  for (const { name, encode } of members)
    if (encoded[name] !== undefined) encoded[name] = encode(encoded[name], encoding);
  return encoded;
}

/** The encoder and the writer of JSON in one: no tree in between. Undefined where the result is JSON already. */
export function compileText(schema: TSchema): WriteText<unknown> | undefined {
  if (isCoded(schema)) return textWriter(schema.codec);
  if (Type.IsArray(schema)) return textOfItems(compileText(schema.items));
  if (!Type.IsObject(schema)) return undefined;
  const members = new Map<string, Written>();
  for (const [name, member] of Object.entries(schema.properties)) {
    const textOf = compileText(member);
    if (textOf !== undefined) members.set(name, { start: `${JSON.stringify(name)}:`, textOf });
  }
  return members.size === 0 ? undefined : (value, encoding) => textOfMembers(members, value, encoding);
}

/** A member with its name in quotes. */
interface Written {
  readonly start: string;
  readonly textOf: WriteText<unknown>;
}

function textOfItems(textOf: WriteText<unknown> | undefined): WriteText<unknown> | undefined {
  if (textOf === undefined) return undefined;
  return (values, encoding) =>
    Array.isArray(values)
      ? `[${values.map((value: unknown) => textOf(value, encoding)).join(',')}]`
      : writeJson(values);
}

/** In the order in which the handler has put them; those without a codec are JSON. */
function textOfMembers(members: ReadonlyMap<string, Written>, value: unknown, encoding: EncodingOptions): string {
  if (typeof value !== 'object' || value === null) return writeJson(value);
  let text = '';
  for (const [name, content] of Object.entries(value)) {
    const member = members.get(name);
    if (member === undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${writeJson(content)}`;
    else if (content !== undefined)
      text += `${text === '' ? '' : ','}${member.start}${member.textOf(content, encoding)}`;
  }
  return `{${text}}`;
}

/** Turns JSON back into what a handler would have returned, for clients. */
export type Decode = (json: Json, encoding: EncodingOptions) => unknown;

/** The inverse of `compileEncode`. Undefined where the result is plain JSON. */
export function compileDecode(schema: TSchema): Decode | undefined {
  if (isCoded(schema)) return (json, encoding) => schema.codec.fromJson(json, encoding);
  if (Type.IsArray(schema)) {
    const item = compileDecode(schema.items);
    return item === undefined
      ? undefined
      : (json, encoding) => (Array.isArray(json) ? json.map((each) => item(each, encoding)) : json);
  }
  if (!Type.IsObject(schema)) return undefined;
  const members = Object.entries(schema.properties).flatMap(([name, member]) => {
    const decode = compileDecode(member);
    return decode === undefined ? [] : [[name, decode] as const];
  });
  return members.length === 0 ? undefined : (json, encoding) => decodeMembers(members, json, encoding);
}

function decodeMembers(
  members: readonly (readonly [string, Decode])[],
  json: Json,
  encoding: EncodingOptions,
): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const decoded: Record<string, unknown> = { ...json };
  for (const [name, decode] of members) {
    const value = json[name];
    if (value !== undefined) decoded[name] = decode(value, encoding);
  }
  return decoded;
}
