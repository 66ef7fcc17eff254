import type { ByteReader, ByteWriter } from './bytes.ts';
import type { Json } from './json.ts';
import type { EncodingOptions } from './encoding_options.ts';
import type { PlainJson } from './plain_json.ts';

/**
 * A type of value: its binary form, its JSON form, its default and its description.
 * `read` and `fromJson` refuse malformed input; `write` and `toJson` accept whatever the type allows.
 */
export interface Codec<T, J = unknown> {
  write(out: ByteWriter, value: T): void;
  read(input: ByteReader): T;
  toJson(value: T, encoding: EncodingOptions): Json;
  readonly fromJson: FromJson<T>;
  /** The value of an omitted member. */
  initial(encoding: EncodingOptions): T;
  /**
   * The JSON form as a JSON Schema of draft 2020-12: the one that is written or, where the encoding says so, all that
   * are read.
   */
  describe(encoding: EncodingOptions): JsonSchema;
  /** An absent value is omitted from its struct's JSON. */
  readonly optional?: boolean;
  /** The texts in a value that its writer chose freely; bytes that may be a text count as one, a character each. */
  freeTexts?(value: T): readonly string[];
  /** The member's name contains the coin's name in place of `coin`. */
  readonly hasCoinName?: boolean;
  /**
   * The value as programs of a client see it: as in JSON, but amounts always as texts, operations as pairs, integers of
   * 64 bits as bigint. Only the compiler looks at it.
   */
  readonly plain?: J;
}

/** Reads a JSON value. With `copy`, plain JSON text can be converted directly at a fraction of the cost. */
export interface FromJson<T> {
  (json: Json, encoding: EncodingOptions): T;
  readonly copy?: CopyJson;
}

/**
 * Converts a value from plain JSON text to the bytes that `write` would produce for the result of `fromJson`. Returns
 * false if the text is not plain or the value is not of this type; the bytes written must then be discarded, and
 * `fromJson` decides.
 */
export type CopyJson = (from: PlainJson, out: ByteWriter, encoding: EncodingOptions) => boolean;

/**
 * Combines `fromJson` with its `copy`. A codec that replaces `fromJson` gets a new function, so it can't inherit a
 * wrong `copy`.
 */
export function copying<T>(
  fromJson: (json: Json, encoding: EncodingOptions) => T,
  copy: CopyJson | undefined,
): FromJson<T> {
  return copy === undefined ? fromJson : Object.assign(fromJson, { copy });
}

/** The type of a codec's values. */
export type ValueOf<C> = C extends Codec<infer T> ? T : never;

/** The type of a codec's values as programs of a client see them. */
export type PlainOf<C> = C extends { readonly plain?: infer J } ? J : never;

declare const alsoGiven: unique symbol;

/** Marks what may also be given in the form of `G`. No value has this member. */
export interface AlsoGiven<G> {
  readonly [alsoGiven]?: G;
}

/**
 * Members that may be left out where a value is given: a fee is looked up, and extensions are reserved for the future.
 */
type Omissible = 'fee' | 'extensions';

/** A program's input for a plain value: integers of 64 bits in any exact form. */
export type Given<J> = [Json] extends [J]
  ? J
  : J extends bigint
    ? bigint | number | string
    : J extends string | number | boolean | null | undefined
      ? J
      : J extends readonly unknown[]
        ? GivenList<J> | GivenFormOf<J>
        : J extends object
          ? GivenMembers<J> & { readonly [K in Extract<keyof J, Omissible>]?: Given<J[K]> }
          : J;
type GivenList<J extends readonly unknown[]> = number extends J['length']
  ? readonly Given<J[number]>[]
  : { readonly [K in keyof J]: Given<J[K]> };
type GivenFormOf<J> = typeof alsoGiven extends keyof J ? (J extends AlsoGiven<infer G> ? G : never) : never;
type GivenMembers<J> = { readonly [K in keyof J as K extends Omissible ? never : K]: Given<J[K]> };

/** A JSON Schema, as data. */
export type JsonSchema = { readonly [keyword: string]: JsonSchemaValue };
export type JsonSchemaValue = string | number | bigint | boolean | null | JsonSchema | readonly JsonSchemaValue[];
