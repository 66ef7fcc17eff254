import { copying, type Codec, type CopyJson, type JsonSchema, type PlainOf, type ValueOf } from './codec.ts';
import type { Json } from './json.ts';
import { writing } from './json_text.ts';
import { inMember, DecodeError, mismatch } from './decode_error.ts';
import { speaksLineage, type Notation } from './notation.ts';
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
  /** Converts the members from plain JSON text, without the braces. */
  readonly copyMembers: CopyJson;
}

/** The members of a struct in their order, one behind the other in its bytes; any other codec is its own only one. */
export function membersOf(codec: AnyCodec): readonly { readonly name: string; readonly codec: AnyCodec }[] {
  if (!isStruct(codec)) return [{ name: 'value', codec }];
  return Object.entries(codec.fields).map(([name, member]) => ({ name, codec: member }));
}

function isStruct(codec: AnyCodec): codec is StructCodec<Readonly<Record<string, AnyCodec>>> {
  return 'fields' in codec;
}

/** Options of a struct: JSON members that are known but have no meaning on this chain, and those that may be omitted. */
export interface StructOptions {
  readonly ignored?: RegExp;
  /** Meaningless members that must be empty: their codecs validate them, then they are dropped. */
  readonly empty?: Readonly<Record<string, AnyCodec>>;
  /** The only members that JSON may omit besides optional ones, except when read as the lineage did; by default any may be omitted. */
  readonly mayLack?: readonly string[];
}

/**
 * Consecutive members. Their forms are compiled once, when the struct is declared, to functions of straight-line calls, so that the engine
 * can inline each member.
 */
export function struct<const F extends Readonly<Record<string, AnyCodec>>>(fields: F, options: StructOptions = {}): StructCodec<F> {
  const members = Object.entries(fields).map(([name, codec]) => ({ name, codec, isRequired: isRequired(name, codec, options) }));
  const compiled = compile<StructOf<F>>(members);
  const { write, read, build, copy: copyMembers } = compiled;
  return {
    fields,
    copyMembers,
    write,
    read,
    toJson: writingOf(members, compiled),
    fromJson: copying(
      (json, notation) => build(membersFromJson(members, json, notation, options)),
      (from, out, notation) => from.openObject() && copyMembers(from, out, notation) && from.closeObject(),
    ),
    initial: (notation) => build(members.map(({ codec }) => codec.initial(notation))),
    describe: (notation) => describeStruct(members, notation),
  };
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
  return codec.optional === true || codec.worded === true;
}

function structToJson(members: readonly Member[], value: Readonly<Record<string, unknown>>, notation: Notation): Json {
  const json: { [member: string]: Json } = {};
  for (const member of members) {
    const item = value[member.name];
    if (item === undefined && member.codec.optional === true) continue;
    json[jsonName(member, notation)] = member.codec.toJson(item, notation);
  }
  return json;
}

function membersFromJson(members: readonly Member[], json: Json, notation: Notation, options: StructOptions): unknown[] {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return mismatch('an object', json);
  let found = 0;
  const values = members.map((member) => {
    const name = jsonName(member, notation);
    const item = json[name];
    if (item === undefined) {
      if (!mayBeMadeUp(member, notation)) refuseMissing(name, members, json, notation, options);
      return member.codec.initial(notation);
    }
    found++;
    if (item === null && member.codec.optional === true) return undefined;
    return inMember(name, () => member.codec.fromJson(item, notation));
  });
  if (options.empty !== undefined) readEmpty(options.empty, json, notation);
  if (notation.dialect === 'default' && Object.keys(json).length !== found) refuseUnknown(members, json, notation, options);
  return values;
}

/** Whether an omitted member gets its default. */
function mayBeMadeUp(member: Member, notation: Notation): boolean {
  return !member.isRequired || speaksLineage(notation);
}

/** Checks for unknown members first: a missing member may be a misspelt one, which is the more helpful error. */
function refuseMissing(
  name: string,
  members: readonly Member[],
  json: { [member: string]: Json },
  notation: Notation,
  options: StructOptions,
): never {
  refuseUnknown(members, json, notation, options);
  throw new DecodeError('the member is missing').within(name);
}

function readEmpty(empty: Readonly<Record<string, AnyCodec>>, json: { [member: string]: Json }, notation: Notation): void {
  for (const [name, codec] of Object.entries(empty)) {
    const item = json[name];
    if (item !== undefined && item !== null) inMember(name, () => void codec.fromJson(item, notation));
  }
}

function refuseUnknown(members: readonly Member[], json: { [member: string]: Json }, notation: Notation, options: StructOptions): void {
  const known = new Set(members.map((member) => jsonName(member, notation)));
  for (const name of Object.keys(json)) {
    if (!known.has(name) && options.ignored?.test(name) !== true && !Object.hasOwn(options.empty ?? {}, name))
      throw new DecodeError(`unknown member; known are ${[...known].join(', ')}`).within(name);
  }
}

function describeStruct(members: readonly Member[], notation: Notation): JsonSchema {
  const properties = Object.fromEntries(members.map((member) => [jsonName(member, notation), member.codec.describe(notation)]));
  const required = members.filter((member) => member.isRequired).map((member) => jsonName(member, notation));
  const must = required.length === 0 || speaksLineage(notation) ? {} : { required };
  return { type: 'object', properties, ...must, additionalProperties: false };
}

/** The JSON form of the members, as a tree and, unless a name varies, as text. */
function writingOf<T>(members: readonly Member[], { toJson, text }: Compiled<T>): (value: T, notation: Notation) => Json {
  const [first] = members;
  // The commas are certain where the first member is always there.
  const isFixed = first?.codec.optional !== true && members.every(({ codec }) => codec.worded !== true);
  const tree = members.some(isVarying) ? writingVarying<T>(members) : toJson;
  return isFixed ? writing(tree, text) : tree;
}

function writingVarying<T>(members: readonly Member[]): (value: T, notation: Notation) => Json;
function writingVarying(members: readonly Member[]): (value: Readonly<Record<string, unknown>>, notation: Notation) => Json {
  return (value, notation) => structToJson(members, value, notation);
}
