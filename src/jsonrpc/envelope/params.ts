import {
  Compile,
  type StaticEncode,
  type TObject,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TUnsafe,
  Type,
  type Validator,
} from './typebox.ts';
import { present } from '../../base/assert.ts';
import { refusals } from '../../base/refusal.ts';
import type { Codec } from '../../codec/codec.ts';
import type { Json, JsonObject } from '../../codec/json.ts';
import { DecodeError, inMember, shownJson } from '../../codec/decode_error.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
import type { GivenParams } from './method.ts';
import type { PlainJson } from '../../codec/plain_json.ts';

/** Faults that a request can have in its params; returned with −32602. */
export const refuseParams = refusals({
  params_too_long: 'params of {method} have at most {most} bytes, got {bytes}',
  params_too_many: 'params hold at most {most} values, got {values}',
  params_not_object: 'params are an object with named members ({known}), got {given}',
  unknown_member: 'unknown member "{member}"; known are: {known}',
  missing_member: 'member "{member}" is missing',
  bad_member: 'member "{member}" {expected}, got {given}',
  too_few_arguments: {
    text: 'argument {missing} is missing; the arguments are {known}',
    lineage: 'too few arguments passed to method',
  },
});

/** The same for positional params. */
const refusePositional = refusals({
  params_not_object: 'params are an array of arguments in their order ({known}), got {given}',
});

/** A schema whose JSON is decoded by a codec before it is checked. */
export interface TCoded<T, J = unknown> extends TUnsafe<T> {
  readonly codec: ParamCodec<T, J>;
}

/** A codec that may read plain text without building a tree first, for methods that are called by the thousand. */
export interface ParamCodec<T, J = unknown> extends Codec<T, J> {
  readonly fromPlain?: FromPlain<T>;
  /** The lineage's method has no such param, so its signature does not show it. */
  readonly isOwn?: boolean;
}

/** Reads plain text into what `fromJson` would return for it; undefined where that is not possible. */
type FromPlain<T> = (from: PlainJson, encoding: EncodingOptions) => T | undefined;

/**
 * A params member decoded by `codec`: the handler gets the decoded value, the documentation the codec's description.
 */
export function coded<T, J>(codec: ParamCodec<T, J>): TCoded<T, J>;
export function coded<T, J, const O extends TSchemaOptions>(
  codec: ParamCodec<T, J>,
  options: O,
): TCoded<T, J> & Pick<O, keyof O & 'default'>;
export function coded<T, J>(codec: ParamCodec<T, J>, options: TSchemaOptions = {}): TCoded<T, J> {
  return { ...Type.Unsafe<T>(options), codec };
}

/** A member that may be left out; its default is part of its type. */
export function withDefault<S extends TSchema, const D extends Json>(schema: S, value: D): S & { readonly default: D } {
  return { ...schema, default: value };
}

/** The params of handlers: each member decoded. */
export type ParamsOf<P extends TProperties> = StaticEncode<TObject<P>>;

/** Reads the params of one method, by name or by position, with defaults; each fault is named. */
export class ParamsReader<const P extends TProperties> {
  readonly schema: TObject<P>;
  readonly names: readonly string[];
  readonly #members: ReadonlyMap<string, Member>;
  /** Compiled on first use: most programs call few methods. */
  #compiled: Validator<{}, TObject<P>> | undefined;

  constructor(members: P) {
    this.schema = Type.Object(members, { additionalProperties: false });
    this.names = Object.keys(members);
    this.#members = new Map(Object.entries(members).map(([name, schema]) => [name, compileMember(name, schema)]));
  }

  get #validator(): Validator<{}, TObject<P>> {
    return (this.#compiled ??= Compile(this.schema));
  }

  readGiven({ json, positional }: GivenParams, encoding: EncodingOptions): ParamsOf<P> {
    return positional ? this.readPositional(json, encoding) : this.read(json, encoding);
  }

  /** `[]`, `[{…}]`, `{}` and absent params are equivalent. */
  read(params: Json | undefined, encoding: EncodingOptions): ParamsOf<P> {
    const only = Array.isArray(params) && params.length < 2 ? (params[0] ?? {}) : (params ?? {});
    if (params === null || typeof only !== 'object' || Array.isArray(only))
      return refuseParams.params_not_object({ known: this.names, given: shownJson(params) });
    for (const member in only) {
      if (!this.#members.has(member)) refuseParams.unknown_member({ member, known: this.names.join(', ') || 'none' });
    }
    return this.#finish(only, encoding);
  }

  /** In the legacy dialect, element k is member k; excess elements are ignored. */
  readPositional(params: Json | undefined, encoding: EncodingOptions): ParamsOf<P> {
    const values = params ?? [];
    if (!Array.isArray(values))
      return refusePositional.params_not_object({ known: this.names, given: shownJson(values) });
    const named: JsonObject = {};
    for (const [k, name] of this.names.entries()) {
      const value = values[k];
      if (value !== undefined) named[name] = value;
      else if (this.#members.get(name)?.required === true)
        refuseParams.too_few_arguments({ missing: name, known: this.names });
    }
    return this.#finish(named, encoding);
  }

  /**
   * Reads plain text into what `read` or `readPositional` would return; undefined where that is not possible, whether
   * the params are valid or not.
   */
  readPlain(from: PlainJson, positional: boolean, encoding: EncodingOptions): ParamsOf<P> | undefined {
    const decoded: Record<string, unknown> = {};
    const isRead = positional
      ? from.openArray() && this.#readElements(from, decoded, encoding) && from.closeArray()
      : from.openObject() && this.#readMembers(from, decoded, encoding) && from.closeObject();
    if (!isRead || !from.ends() || !this.#addInitial(decoded, encoding)) return undefined;
    return this.#validator.Check(decoded) ? decoded : undefined;
  }

  #readElements(from: PlainJson, decoded: Record<string, unknown>, encoding: EncodingOptions): boolean {
    for (const [name, member] of this.#members) {
      if (!from.element()) return true;
      const value = member.fromPlain(from, encoding);
      if (value === undefined) return false;
      decoded[name] = value;
    }
    return true;
  }

  /** Members in any order, each once. */
  #readMembers(from: PlainJson, decoded: Record<string, unknown>, encoding: EncodingOptions): boolean {
    while (!from.closes()) {
      const name = this.names.find(
        (each) => decoded[each] === undefined && from.member(present(this.#members.get(each), 'a member').quotedName),
      );
      const value = name === undefined ? undefined : this.#members.get(name)?.fromPlain(from, encoding);
      if (name === undefined || value === undefined) return false;
      decoded[name] = value;
    }
    return true;
  }

  /** Sets what was left out to its default; false where a member has none. */
  #addInitial(decoded: Record<string, unknown>, encoding: EncodingOptions): boolean {
    for (const [name, member] of this.#members) {
      if (decoded[name] !== undefined) continue;
      if (member.initial === undefined) return false;
      decoded[name] = member.decode(member.initial, encoding);
    }
    return true;
  }

  #finish(named: JsonObject, encoding: EncodingOptions): ParamsOf<P> {
    const decoded: Record<string, unknown> = {};
    for (const [name, member] of this.#members) {
      const given = named[name];
      // A null stands for an optional member that is not set, as clients of the lineage send it.
      const value = given === undefined || (given === null && !member.required) ? member.initial : given;
      if (value !== undefined) decoded[name] = inMember(name, () => member.decode(value, encoding));
      else if (member.required) refuseParams.missing_member({ member: name });
    }
    if (!this.#validator.Check(decoded)) return this.#refuse(decoded);
    return decoded;
  }

  #refuse(decoded: Record<string, unknown>): never {
    const [first] = this.#validator.Errors(decoded);
    const member = pathText(first?.instancePath ?? '');
    if (first?.keyword === 'required')
      refuseParams.missing_member({
        member: [member, first.params.requiredProperties[0] ?? ''].filter(Boolean).join('.'),
      });
    return refuseParams.bad_member({
      member,
      expected:
        first?.keyword === 'enum'
          ? `must be one of ${first.params.allowedValues.join(', ')}`
          : (first?.message ?? 'is not as declared'),
      given: shownJson(valueByPointer(decoded, first?.instancePath)),
    });
  }
}

interface Member {
  readonly required: boolean;
  /** The JSON used for a member that was left out. */
  readonly initial: Json | undefined;
  readonly decode: (value: Json, encoding: EncodingOptions) => unknown;
  /** Its name in quotes, as bytes. */
  readonly quotedName: Uint8Array;
  readonly fromPlain: FromPlain<unknown>;
}

function compileMember(name: string, schema: TSchema): Member {
  const initial = initialValue(schema);
  return {
    required: initial === undefined && !Type.IsOptional(schema),
    initial,
    decode: compileDecode(schema),
    quotedName: Buffer.from(JSON.stringify(name)),
    fromPlain: compilePlain(schema),
  };
}

/** Among members without a codec, only integers are plain. */
function compilePlain(schema: TSchema): FromPlain<unknown> {
  if (isCoded(schema)) return schema.codec.fromPlain ?? (() => undefined);
  return Type.IsInteger(schema) ? (from) => from.integer() : () => undefined;
}

/** The declared default, which the schema holds in JSON form. */
function initialValue(schema: TSchema): Json | undefined {
  const declared: { default?: Json } = schema;
  return declared.default;
}

function compileDecode(schema: TSchema): Member['decode'] {
  if (isCoded(schema)) return (value, encoding) => schema.codec.fromJson(value, encoding);
  if (!Type.IsArray(schema)) return (value) => value;
  const decodeItem = compileDecode(schema.items);
  const most = Number(Reflect.get(schema, 'maxItems') ?? Number.POSITIVE_INFINITY);
  return (value, encoding) => {
    if (!Array.isArray(value)) return value;
    // Refused before the work, not after it.
    if (value.length > most) throw new DecodeError(`at most ${most} elements expected, got ${value.length}`);
    return value.map((item, k) => inMember(k, () => decodeItem(item, encoding)));
  };
}

/** Returns whether a codec reads this schema. */
export function isCoded(schema: TSchema): schema is TCoded<unknown> {
  return 'codec' in schema;
}

/** Returns the JSON that a pointer refers to, if any. */
function valueByPointer(decoded: unknown, pointer = ''): Json | undefined {
  let value = decoded;
  for (const step of pointer.split('/').slice(1))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  return typeof value === 'object' && value !== null ? (Array.isArray(value) ? [] : {}) : toJsonValue(value);
}

function toJsonValue(value: unknown): Json | undefined {
  const isPlain =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';
  return isPlain || value === null ? value : undefined;
}

/** `/trx/signatures/0` as `trx.signatures[0]`. */
function pathText(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step, k) => (/^\d+$/.test(step) ? `[${step}]` : k === 0 ? step : `.${step}`))
    .join('');
}
