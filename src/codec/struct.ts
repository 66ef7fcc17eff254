import { copying, type Codec, type JsonSchema, type PlainOf, type ValueOf } from './codec.ts';
import type { Json } from './json.ts';
import { writing } from './json_text.ts';
import { inMember, DecodeError, mismatch } from './decode_error.ts';
import { orNull } from './schemas.ts';
import { speaksLineage, type EncodingOptions } from './encoding_options.ts';
import { compile, copier } from './straight_line.ts';
import { jsonName, type AnyCodec, type Compiled, type Member } from './struct_member.ts';

export type { AnyCodec } from './struct_member.ts';

type StructOf<F> = { readonly [K in keyof F]: ValueOf<F[K]> };

/** The members that may be absent. */
type AbsentOf<F> = { [K in keyof F]: undefined extends PlainOf<F[K]> ? K : never }[keyof F];

type PlainStructOf<F> = { readonly [K in Exclude<keyof F, AbsentOf<F>>]: PlainOf<F[K]> } & {
  readonly [K in AbsentOf<F>]?: Exclude<PlainOf<F[K]>, undefined>;
};

/** A codec whose members can be listed. */
export interface StructCodec<F> extends Codec<StructOf<F>, PlainStructOf<F>> {
  readonly fields: F;
}

/** The members of a struct in their order, one behind the other in its bytes; any other codec is its own only one. */
export function structMembers(codec: AnyCodec): readonly { readonly name: string; readonly codec: AnyCodec }[] {
  if (!isStruct(codec)) return [{ name: 'value', codec }];
  return Object.entries(codec.fields).map(([name, member]) => ({ name, codec: member }));
}

function isStruct(codec: AnyCodec): codec is StructCodec<Readonly<Record<string, AnyCodec>>> {
  return 'fields' in codec;
}

/**
 * Options of a struct: JSON members that are known but have no meaning on this chain, and those that may be omitted.
 */
export interface StructOptions {
  readonly ignored?: RegExp;
  /** Meaningless members that must be empty: their codecs validate them, then they are dropped. */
  readonly empty?: Readonly<Record<string, AnyCodec>>;
  /**
   * The only members that JSON may omit besides optional ones, except when read as the lineage did; by default any may
   * be omitted.
   */
  readonly mayLack?: readonly string[];
}

/**
 * Consecutive members. Their forms are compiled once, when the struct is used first, to functions of straight-line
 * calls, so that the engine can inline each member.
 */
export function struct<const F extends Readonly<Record<string, AnyCodec>>>(
  fields: F,
  options: StructOptions = {},
): StructCodec<F> {
  const members = Object.entries(fields).map(([name, codec]) => ({
    name,
    codec,
    isRequired: isRequired(name, codec, options),
  }));
  const compiled = compiledLate<StructOf<F>>(members, ({ write, read }) => Object.assign(codec, { write, read }));
  const codec: StructCodec<F> = {
    fields,
    write: (out, value) => compiled.write(out, value),
    read: (input) => compiled.read(input),
    toJson: compileWriter(members, compiled),
    fromJson: copying(
      (json, encoding) => compiled.build(membersFromJson(members, json, encoding, options)),
      (from, out, encoding) => from.openObject() && compiled.copy(from, out, encoding) && from.closeObject(),
    ),
    initial: (encoding) => compiled.build(members.map(({ codec: member }) => member.initial(encoding))),
    describe: (encoding) => describeStruct(members, encoding, options),
  };
  return codec;
}

/**
 * Functions that compile the struct when one of them is called first, and then become the compiled ones. Each thread
 * declares more than a hundred structs at its start and uses a few. `settle` is given the compiled functions, so that
 * those of rows are called without a detour.
 */
function compiledLate<T>(members: readonly Member[], settle: (compiled: Compiled<T>) => void): Compiled<T> {
  const late: Compiled<T> = {
    write: (out, value) => settled().write(out, value),
    read: (input) => settled().read(input),
    build: (values) => settled().build(values),
    copy: (from, out, encoding) => settled().copy(from, out, encoding),
    toJson: (value, encoding) => settled().toJson(value, encoding),
    text: (value, encoding) => settled().text(value, encoding),
  };
  const settled = (): Compiled<T> => {
    const compiled = compile<T>(members);
    Object.assign(late, compiled);
    settle(compiled);
    return compiled;
  };
  return late;
}

/**
 * A function that copies a value with these members replaced, in straight-line code. With twenty members a spread costs
 * ten times as much; used for rows that every transfer changes.
 */
export function replacing<F, const K extends keyof F & string>(
  codec: StructCodec<F>,
  names: readonly K[],
): (value: StructOf<F>, changes: Pick<StructOf<F>, K>) => StructOf<F>;
export function replacing(codec: StructCodec<object>, names: readonly string[]): unknown {
  return copier(Object.keys(codec.fields), names);
}

function isRequired(name: string, { optional }: AnyCodec, { mayLack }: StructOptions): boolean {
  return mayLack !== undefined && optional !== true && !mayLack.includes(name);
}

/** A member that may be missing from the JSON, or whose name varies. */
function isVarying({ codec }: Member): boolean {
  return codec.optional === true || codec.hasCoinName === true;
}

function structToJson(
  members: readonly Member[],
  value: Readonly<Record<string, unknown>>,
  encoding: EncodingOptions,
): Json {
  const json: { [member: string]: Json } = {};
  for (const member of members) {
    const item = value[member.name];
    if (item === undefined && member.codec.optional === true) continue;
    json[jsonName(member, encoding)] = member.codec.toJson(item, encoding);
  }
  return json;
}

function membersFromJson(
  members: readonly Member[],
  json: Json,
  encoding: EncodingOptions,
  options: StructOptions,
): unknown[] {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return mismatch('an object', json);
  let found = 0;
  const values = members.map((member) => {
    const name = jsonName(member, encoding);
    const item = json[name];
    if (item === undefined) {
      if (!mayBeMadeUp(member, encoding)) refuseMissing(name, members, json, encoding, options);
      return member.codec.initial(encoding);
    }
    found++;
    if (item === null && member.codec.optional === true) return undefined;
    return inMember(name, () => member.codec.fromJson(item, encoding));
  });
  if (options.empty !== undefined) readEmpty(options.empty, json, encoding);
  if (encoding.dialect === 'default' && Object.keys(json).length !== found)
    refuseUnknown(members, json, encoding, options);
  return values;
}

/** True when an omitted member gets its default. */
function mayBeMadeUp(member: Member, encoding: EncodingOptions): boolean {
  return !member.isRequired || speaksLineage(encoding);
}

/** Checks for unknown members first: a missing member may be a misspelt one, which is the more helpful error. */
function refuseMissing(
  name: string,
  members: readonly Member[],
  json: { [member: string]: Json },
  encoding: EncodingOptions,
  options: StructOptions,
): never {
  refuseUnknown(members, json, encoding, options);
  throw new DecodeError('the member is missing').within(name);
}

function readEmpty(
  empty: Readonly<Record<string, AnyCodec>>,
  json: { [member: string]: Json },
  encoding: EncodingOptions,
): void {
  for (const [name, codec] of Object.entries(empty)) {
    const item = json[name];
    if (item !== undefined && item !== null) inMember(name, () => void codec.fromJson(item, encoding));
  }
}

function refuseUnknown(
  members: readonly Member[],
  json: { [member: string]: Json },
  encoding: EncodingOptions,
  options: StructOptions,
): void {
  const known = new Set(members.map((member) => jsonName(member, encoding)));
  for (const name of Object.keys(json)) {
    if (!known.has(name) && options.ignored?.test(name) !== true && !Object.hasOwn(options.empty ?? {}, name))
      throw new DecodeError(`unknown member; known are ${[...known].join(', ')}`).within(name);
  }
}

/** A required member has no default. */
function describeMember({ codec, isRequired: must }: Member, encoding: EncodingOptions): JsonSchema {
  const { default: initial, ...schema } = codec.describe(encoding);
  return must || initial === undefined ? schema : { ...schema, default: initial };
}

function describeStruct(
  members: readonly Member[],
  encoding: EncodingOptions,
  { ignored, empty = {} }: StructOptions,
): JsonSchema {
  const properties = Object.fromEntries(
    members.map((member) => [jsonName(member, encoding), describeMember(member, encoding)]),
  );
  const required = members.filter((member) => member.isRequired).map((member) => jsonName(member, encoding));
  const must = required.length === 0 || speaksLineage(encoding) ? {} : { required };
  if (encoding.describesGiven !== true) return { type: 'object', properties, ...must, additionalProperties: false };
  for (const [name, codec] of Object.entries(empty)) properties[name] = orNull(codec.describe(encoding));
  const skipped = ignored === undefined ? {} : { patternProperties: { [ignored.source]: {} } };
  // What is read as the lineage did has further members, which are ignored.
  return { type: 'object', properties, ...must, ...skipped, additionalProperties: encoding.dialect === 'legacy' };
}

/** The JSON form of the members, as a tree and, unless a name varies, as text. */
function compileWriter<T>(
  members: readonly Member[],
  compiled: Compiled<T>,
): (value: T, encoding: EncodingOptions) => Json {
  const [first] = members;
  // The commas are certain where the first member is always there.
  const isFixed = first?.codec.optional !== true && members.every(({ codec }) => codec.hasCoinName !== true);
  const plain = (value: T, encoding: EncodingOptions): Json => compiled.toJson(value, encoding);
  const tree = members.some(isVarying) ? writingVarying<T>(members) : plain;
  return isFixed ? writing(tree, (value, encoding) => compiled.text(value, encoding)) : tree;
}

function writingVarying<T>(members: readonly Member[]): (value: T, encoding: EncodingOptions) => Json;
function writingVarying(
  members: readonly Member[],
): (value: Readonly<Record<string, unknown>>, encoding: EncodingOptions) => Json {
  return (value, encoding) => structToJson(members, value, encoding);
}
