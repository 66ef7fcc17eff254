import type { ByteReader, ByteWriter } from './bytes.ts';
import type { Json } from './json.ts';
import type { Notation } from './notation.ts';
import type { PlainJson } from './plain_json.ts';

/**
 * One type of value and everything that is known about it: its bytes, its JSON, its default and its description.
 * `read` and `fromJson` refuse what is malformed; `write` and `toJson` take what the type allows.
 */
export interface Codec<T> {
  write(out: ByteWriter, value: T): void;
  read(input: ByteReader): T;
  toJson(value: T, notation: Notation): Json;
  readonly fromJson: FromJson<T>;
  /** The value of a member that is left out. */
  initial(notation: Notation): T;
  /** The JSON form as a JSON Schema. */
  describe(notation: Notation): JsonSchema;
  /** An absent value is left out of its struct's JSON. */
  readonly optional?: boolean;
  /** The member's name carries the chain's own word in place of `coin`. */
  readonly worded?: boolean;
}

/** Reads a JSON value. A function that has a `copy` can do the same for text that is plain, at a fraction of the price. */
export interface FromJson<T> {
  (json: Json, notation: Notation): T;
  readonly copy?: CopyJson;
}

/**
 * Copies a value from plain JSON text into its bytes: those that `write` makes of what `fromJson` reads. Answers false where the
 * text is not plain or the value none of this type; then what was written counts for nothing, and `fromJson` has to decide.
 */
export type CopyJson = (from: PlainJson, out: ByteWriter, notation: Notation) => boolean;

/** A way to read JSON together with the way to copy it. Whoever reads in another way has another function, and no copy by mistake. */
export function copying<T>(fromJson: (json: Json, notation: Notation) => T, copy: CopyJson | undefined): FromJson<T> {
  return copy === undefined ? fromJson : Object.assign(fromJson, { copy });
}

/** The type of a codec's values. */
export type ValueOf<C> = C extends Codec<infer T> ? T : never;

/** A JSON Schema, as data. */
export type JsonSchema = { readonly [keyword: string]: JsonSchemaValue };
export type JsonSchemaValue = string | number | boolean | null | JsonSchema | readonly JsonSchemaValue[];
