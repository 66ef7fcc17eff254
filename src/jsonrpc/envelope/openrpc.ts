import { Create, type TSchema, Type } from './typebox.ts';
import { declaredRefusal, LINEAGE_ASSERTION, type RefusalText } from '../../base/refusal.ts';
import type { JsonSchema } from '../../codec/codec.ts';
import { asJson, isJsonObject, type Json, type JsonObject } from '../../codec/json.ts';
import { speaksLineage, type EncodingOptions } from '../../codec/encoding_options.ts';
import { writeJson } from '../../codec/json_writer.ts';
import { readJsonText } from '../../codec/json_reader.ts';
import { orNull } from '../../codec/schemas.ts';
import { looksLikePrivateKey } from '../../codec/decode_error.ts';
import { errorCodes, refuseCall } from './errors.ts';
import type { Method, Methods } from './method.ts';
import { NamedSchemas, type SchemasByName } from './named_schemas.ts';
import { isCoded } from './params.ts';

type AnyMethods = Methods<Method<never>>;

/** The names of all `group.method` methods in byte order, as returned by `jsonrpc.get_methods`. */
export function methodNames(methods: AnyMethods): string[] {
  return sorted([...methods.values()].filter(({ group }) => group !== '')).map(({ name }) => name);
}

function sorted<M extends Method<never>>(methods: readonly M[]): M[] {
  return methods.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Params and result of a method with empty values, as returned by `jsonrpc.get_signature`; null when there is no such
 * method.
 */
export function signature(methods: AnyMethods, name: string, encoding: EncodingOptions): Json {
  const method = methods.get(name);
  return method === undefined
    ? null
    : { args: emptyValue(method.params, encoding), ret: emptyValue(method.result, encoding) };
}

/** Parts of the document about the program, and about its methods beyond the parts that every method has. */
export interface DocumentParts<M> {
  readonly title: string;
  readonly version: string;
  readonly encoding: EncodingOptions;
  /** Shapes that many methods share, by their names in `components`: of results, and of params. */
  readonly schemas: { readonly shown: SchemasByName; readonly given: SchemasByName };
  /** Members of a method's description that begin with `x-`. */
  readonly extensionsOf: (method: M) => JsonObject;
  /** Members of the document that begin with `x-`; `shorten` replaces named schemas by references. */
  readonly extensions: (shorten: (schema: Json) => Json) => JsonObject;
}

/** The document that describes every method, OpenRPC 1.3.2. */
export function openRpcDocument<M extends Method<never>>(methods: Methods<M>, parts: DocumentParts<M>): Json {
  return readJsonText([...openRpcTexts(methods, parts)].join(''));
}

/** The text of the same document, a method at a time: all of them take tens of milliseconds. */
export function* openRpcTexts<M extends Method<never>>(
  methods: Methods<M>,
  parts: DocumentParts<M>,
): Generator<string> {
  const { title, version, encoding } = parts;
  const schemas = new NamedSchemas(parts.schemas, encoding);
  const head = { openrpc: '1.3.2', info: { title, version, license: { name: 'Apache-2.0' } } };
  yield `${writeJson(head).slice(0, -1)},"methods":[`;
  for (const [k, method] of sorted([...methods.values()]).entries()) {
    const described = Object.assign(describeMethod(method, encoding, schemas), parts.extensionsOf(method));
    yield `${k === 0 ? '' : ','}${writeJson(described)}`;
  }
  yield `],"components":${writeJson({ schemas: schemas.all, errors: commonErrors() })}`;
  yield `,${writeJson(parts.extensions((schema) => schemas.shorten(schema))).slice(1)}`;
}

/**
 * The errors that any call may return, whatever its method: the kinds of errors, then the dispatcher's own refusals.
 */
function commonErrors(): JsonObject {
  const message: Readonly<Record<keyof typeof errorCodes, string>> = {
    parseError: 'Parse error: {why}',
    invalidRequest: '{why}',
    methodNotFound: 'there is no method {method}; {advice}',
    invalidParams: 'Invalid params: {why}',
    internalError: 'Internal error',
    refusedByChain: '{why}',
    refusedByMethod: '{why}',
  };
  const errors: JsonObject = {};
  for (const [name, text] of Object.entries(message)) errors[name] = { code: errorCode(name), message: text };
  for (const [name, text] of Object.entries(refuseCall.texts)) errors[name] = describeRefusal(name, text);
  return errors;
}

/** A refusal that a method declares, as an OpenRPC error. */
export function describeRefusal(name: string, declared: RefusalText): JsonObject {
  const { text, lineageCode } = declaredRefusal(declared);
  // Only assertions raised by a method itself have a code of their own in the lineage.
  const code = lineageCode === LINEAGE_ASSERTION ? errorCodes.refusedByMethod : errorCodes.refusedByChain;
  return { code, message: text, data: { name } };
}

function errorCode(name: string): number {
  return Object.entries(errorCodes).find(([known]) => known === name)?.[1] ?? errorCodes.internalError;
}

function describeMethod(method: Method<never>, encoding: EncodingOptions, schemas: NamedSchemas): JsonObject {
  const members = Object.entries(describeParams(method, encoding, schemas));
  const examples: Json[] = Object.entries(namedExample(method)).map(([name, value]) => ({
    name,
    value: withoutSecrets(name, value),
  }));
  const result = method.example.result ?? emptyValue(method.result, encoding);
  return {
    name: method.name,
    description: method.doc,
    paramStructure: method.group === '' ? 'by-position' : 'by-name',
    params: members.map(([name, { isRequired, schema }]) => ({ name, required: isRequired, schema })),
    result: { name: 'result', schema: schemas.shorten(asJson(describe(method.result, encoding, schemas))) },
    errors: listRefusals(method, encoding).map(([name, text]) => describeRefusal(name, text)),
    examples: [
      { name: 'example', params: examples, result: { name: 'result', value: withoutSecrets('result', result) } },
    ],
    deprecated: method.stability === 'deprecated',
    'x-stability': method.stability,
    ...(method.needsPrivateKey ? { 'x-needs-private-key': true } : {}),
  };
}

/** The refusals that a client of this encoding can get. */
function listRefusals(
  { refuses, refusesLineageOnly }: Method<never>,
  encoding: EncodingOptions,
): [string, RefusalText][] {
  return Object.entries(refuses).filter(([name]) => speaksLineage(encoding) || refusesLineageOnly?.has(name) !== true);
}

/** Describes the values of each param. A param that may be left out may be null, too. */
function describeParams(
  { params }: Method<never>,
  encoding: EncodingOptions,
  schemas: NamedSchemas,
): Record<string, { isRequired: boolean; schema: Json }> {
  const given: EncodingOptions = { ...encoding, describesGiven: true };
  const members = Type.IsObject(params) ? Object.entries(params.properties) : [];
  return Object.fromEntries(
    members.map(([name, member]) => {
      const isRequired = !Type.IsOptional(member) && !('default' in member);
      const described = readSchema(describe(member, given, schemas));
      return [name, { isRequired, schema: schemas.shorten(asJson(isRequired ? described : orNull(described))) }];
    }),
  );
}

/** The params of the example by name, even where they are positional. */
function namedExample({ example: { params }, paramNames }: Method<never>): JsonObject {
  if (Array.isArray(params)) return Object.fromEntries(params.map((value, k) => [paramNames[k] ?? String(k), value]));
  return isJsonObject(params) ? params : {};
}

/** Members whose values should not appear in examples, so that nobody gets used to writing them down. */
const secretMembers: ReadonlySet<string> = new Set([
  'pk',
  'private_key',
  'wif_priv_key',
  'brain_key',
  'brain_priv_key',
]);

/** An example with secrets replaced by an ellipsis. */
export function withoutSecrets(name: string, value: Json): Json {
  if (typeof value === 'string') return secretMembers.has(name) || looksLikePrivateKey(value) ? '…' : value;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets('', item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, item]) => [member, withoutSecrets(member, item)]));
}

/** A schema of params or results as JSON Schema: codecs are described, TypeBox's own marks are dropped. */
export function jsonSchema(schema: TSchema, encoding: EncodingOptions): JsonObject {
  const described = asJson(describe(schema, encoding));
  return isJsonObject(described) ? described : {};
}

/** A named schema stays a reference beside a description or a default. */
function describe(schema: TSchema, encoding: EncodingOptions, named?: NamedSchemas): unknown {
  if (isCoded(schema)) {
    const { codec, ...own } = schema;
    return { ...(named?.describe(codec, encoding) ?? codec.describe(encoding)), ...own };
  }
  if (Type.IsObject(schema)) {
    const members = Object.entries(schema.properties).map(
      ([name, member]) => [name, describe(member, encoding, named)] as const,
    );
    return { ...schema, properties: Object.fromEntries(members) };
  }
  return Type.IsArray(schema) ? { ...schema, items: describe(schema.items, encoding, named) } : schema;
}

function readSchema(described: unknown): JsonSchema {
  const json = asJson(described);
  return isJsonObject(json) ? json : {};
}

/** Returns whether the lineage shows nothing of a param that is not its own. */
function isHidden(member: TSchema, encoding: EncodingOptions): boolean {
  return isCoded(member) && member.codec.isOwn === true && speaksLineage(encoding);
}

/** A value of the schema with nothing filled in; optional members are left out. */
function emptyValue(schema: TSchema, encoding: EncodingOptions): Json {
  const { default: declared }: { default?: Json } = schema;
  if (declared !== undefined) return declared;
  if (isCoded(schema)) return schema.codec.toJson(schema.codec.initial(encoding), encoding);
  if (Type.IsObject(schema)) {
    const members = Object.entries(schema.properties).filter(
      ([, member]) => !Type.IsOptional(member) && !isHidden(member, encoding),
    );
    return Object.fromEntries(members.map(([name, member]) => [name, emptyValue(member, encoding)]));
  }
  return Type.IsUnknown(schema) || Type.IsAny(schema) ? null : asJson(Create(schema));
}
