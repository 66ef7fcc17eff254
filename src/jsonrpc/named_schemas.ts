import type { Codec } from '../codec/codec.ts';
import type { Json } from '../codec/json.ts';
import { readJsonText } from '../codec/json_reader.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { Notation } from '../codec/notation.ts';

/** What is described once, by the name of its schema. */
export type SchemasByName = Readonly<Record<string, Pick<Codec<never>, 'describe'>>>;

/** Replaces the schemas that a document declares once, under components/schemas, by references to them. */
export class NamedSchemas {
  readonly #codecs: SchemasByName;
  readonly #names: ReadonlyMap<string, string>;
  readonly #notation: Notation;

  constructor(codecs: SchemasByName, notation: Notation) {
    this.#codecs = codecs;
    this.#notation = notation;
    this.#names = new Map(Object.entries(codecs).map(([name, codec]) => [writeJson(codec.describe(notation)), name]));
  }

  /** All named schemas, with references to each other. */
  get all(): { [name: string]: Json } {
    return Object.fromEntries(
      Object.entries(this.#codecs).map(([name, codec]) => [name, this.#within(readJsonText(writeJson(codec.describe(this.#notation))))]),
    );
  }

  /** The schema with those that have a name replaced by references. */
  shorten(schema: Json): Json {
    const name = typeof schema === 'object' && schema !== null ? this.#names.get(writeJson(schema)) : undefined;
    return name === undefined ? this.#within(schema) : { $ref: `#/components/schemas/${name}` };
  }

  #within(schema: Json): Json {
    if (Array.isArray(schema)) return schema.map((item) => this.shorten(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    return Object.fromEntries(Object.entries(schema).map(([member, value]) => [member, this.shorten(value)]));
  }
}
