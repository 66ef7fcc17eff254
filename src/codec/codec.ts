import type { ByteReader, ByteWriter } from './bytes.ts';
import type { Json } from './json.ts';
import type { Notation } from './notation.ts';

/**
 * One type of value and everything that is known about it: its bytes, its JSON, its default and its description.
 * `read` and `fromJson` refuse what is malformed; `write` and `toJson` take what the type allows.
 */
export interface Codec<T> {
  write(out: ByteWriter, value: T): void;
  read(input: ByteReader): T;
  toJson(value: T, notation: Notation): Json;
  fromJson(json: Json, notation: Notation): T;
  /** The value of a member that is left out. */
  initial(notation: Notation): T;
  /** The JSON form as a JSON Schema. */
  describe(notation: Notation): JsonSchema;
  /** An absent value is left out of its struct's JSON. */
  readonly optional?: boolean;
  /** The member's name carries the chain's own word in place of `coin`. */
  readonly worded?: boolean;
}

/** The type of a codec's values. */
export type ValueOf<C> = C extends Codec<infer T> ? T : never;

/** A JSON Schema, as data. */
export type JsonSchema = { readonly [keyword: string]: JsonSchemaValue };
export type JsonSchemaValue = string | number | boolean | null | JsonSchema | readonly JsonSchemaValue[];
