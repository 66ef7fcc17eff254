import type { Codec } from '../codec/codec.ts';
import type { Json } from '../codec/json.ts';
import { readJsonText } from '../codec/json_reader.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { Notation } from '../codec/notation.ts';

/** Shapes by the names under which they are described once. */
export type NamedShapes = Readonly<Record<string, Pick<Codec<never>, 'describe'>>>;

/** Replaces named shapes inside descriptions by references. */
export class NamedSchemas {
  readonly #shapes: NamedShapes;
  readonly #names: ReadonlyMap<string, string>;
  readonly #notation: Notation;

  constructor(shapes: NamedShapes, notation: Notation) {
    this.#shapes = shapes;
    this.#notation = notation;
    this.#names = new Map(Object.entries(shapes).map(([name, codec]) => [writeJson(codec.describe(notation)), name]));
  }

  /** All named shapes, with references to each other. */
  get all(): { [name: string]: Json } {
    return Object.fromEntries(
      Object.entries(this.#shapes).map(([name, codec]) => [name, this.#within(readJsonText(writeJson(codec.describe(this.#notation))))]),
    );
  }

  /** The description with named shapes replaced by references. */
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
