import type { Codec, JsonSchema, JsonSchemaValue } from '../../codec/codec.ts';
import type { Json } from '../../codec/json.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';

/** Codecs that are described once, by the name of their schema. */
export type SchemasByName = Readonly<Record<string, Pick<Codec<never>, 'describe'>>>;

interface NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;
}

type DescribedCodecs = Map<Pick<Codec<never>, 'describe'>, JsonSchema>;

/** Replaces the schemas that a document declares once, under components/schemas, by references to them. */
export class NamedSchemas {
  readonly #schemas = new Map<string, JsonSchema>();
  /** By outline: to compare whole schemas at every part of every schema took most of the time of a document. */
  readonly #alike = new Map<string, NamedSchema[]>();
  /** Many methods share a codec: as results show it, and as params read it. */
  readonly #shown: DescribedCodecs = new Map();
  readonly #given: DescribedCodecs = new Map();

  /** `shown` are described as they are written, `given` in all forms that are read. */
  constructor(
    { shown, given }: { readonly shown: SchemasByName; readonly given: SchemasByName },
    encoding: EncodingOptions,
  ) {
    for (const [name, { describe }] of Object.entries(shown)) this.#add(name, describe(encoding));
    for (const [name, { describe }] of Object.entries(given))
      this.#add(name, describe({ ...encoding, describesGiven: true }));
  }

  #add(name: string, schema: JsonSchema): void {
    const outline = schemaOutline(schema);
    const alike = this.#alike.get(outline) ?? [];
    if (alike.some((known) => isSame(known.schema, schema))) return;
    this.#alike.set(outline, [...alike, { name, schema }]);
    this.#schemas.set(name, schema);
  }

  /** All named schemas, with references to each other. */
  get all(): { [name: string]: Json } {
    return Object.fromEntries([...this.#schemas].map(([name, schema]) => [name, this.#within(schema)]));
  }

  /** A codec as it describes itself, or a reference where that has a name. */
  describe(codec: Pick<Codec<never>, 'describe'>, encoding: EncodingOptions): JsonSchema {
    const described = encoding.describesGiven === true ? this.#given : this.#shown;
    const schema = described.get(codec) ?? this.#named(codec.describe(encoding));
    described.set(codec, schema);
    return schema;
  }

  #named(schema: JsonSchema): JsonSchema {
    return this.#referenceTo(schema) ?? schema;
  }

  /** A reference to a schema that has a name; undefined for others. */
  #referenceTo(schema: JsonSchema): { $ref: string } | undefined {
    const alike = this.#alike.get(schemaOutline(schema));
    const name = alike?.find((known) => isSame(known.schema, schema))?.name;
    return name === undefined ? undefined : { $ref: `#/components/schemas/${name}` };
  }

  /** The schema with those that have a name replaced by references. */
  shorten(schema: JsonSchemaValue): Json {
    const reference = isSchema(schema) ? this.#referenceTo(schema) : undefined;
    return reference ?? this.#within(schema);
  }

  #within(schema: JsonSchemaValue): Json {
    if (isList(schema)) return schema.map((item) => this.shorten(item));
    if (!isSchema(schema)) return schema;
    return Object.fromEntries(Object.entries(schema).map(([member, value]) => [member, this.shorten(value)]));
  }
}

function isList(schema: JsonSchemaValue): schema is readonly JsonSchemaValue[] {
  return Array.isArray(schema);
}

function isSchema(schema: JsonSchemaValue): schema is JsonSchema {
  return typeof schema === 'object' && schema !== null && !isList(schema);
}

/** Equal schemas have equal outlines: their members and what is one step below them. */
function schemaOutline(schema: JsonSchema): string {
  let outline = '';
  for (const [member, value] of Object.entries(schema)) outline += `${member}:${outlineOfMember(value)};`;
  return outline;
}

function outlineOfMember(value: JsonSchemaValue): string {
  if (isList(value)) return String(value.length);
  return isSchema(value) ? Object.keys(value).join() : String(value);
}

/** Returns whether two schemas are written as the same text. */
function isSame(one: JsonSchemaValue | undefined, other: JsonSchemaValue | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (isList(one)) return isList(other) && haveSameItems(one, other);
  if (isSchema(one)) return isSchema(other) && haveSameMembers(one, other);
  // A bound may be a number here and a bigint there.
  return one === other || (typeof one === 'bigint' && typeof other === 'number' && String(one) === String(other));
}

function haveSameItems(one: readonly JsonSchemaValue[], other: readonly JsonSchemaValue[]): boolean {
  return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
}

function haveSameMembers(one: JsonSchema, other: JsonSchema): boolean {
  if (one === other) return true;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return (
    names.length === others.length &&
    names.every((name, index) => name === others[index] && isSame(one[name], other[name]))
  );
}
