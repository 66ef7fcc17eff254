import Type from 'typebox';
import type { TSchema } from 'typebox';
import { Create } from 'typebox/value';
import type { Json } from '../codec/json.ts';
import type { Notation } from '../codec/notation.ts';
import { writeJson } from '../codec/json_writer.ts';
import { readJsonText } from '../codec/json_reader.ts';
import { errorCodes } from './errors.ts';
import type { Method, Methods } from './method.ts';
import { isCoded } from './params.ts';

type JsonObject = { [member: string]: Json };

/** The names of all `group.method` methods in byte order, as `jsonrpc.get_methods` answers. */
export function methodNames(methods: Methods): string[] {
  const names = [...methods.values()].filter(({ group }) => group !== '').map(({ name }) => name);
  return names.sort((a, b) => (a < b ? -1 : 1));
}

/** Params and result of a method with nothing filled in, as `jsonrpc.get_signature` answers; null when there is none. */
export function signature(methods: Methods, name: string, notation: Notation): Json {
  const method = methods.get(name);
  return method === undefined ? null : { args: emptyValue(method.params, notation), ret: emptyValue(method.result, notation) };
}

/** The document that describes every method, OpenRPC 1.3.2. */
export function openRpc(methods: Methods, notation: Notation, title: string, version: string): Json {
  return {
    openrpc: '1.3.2',
    info: { title, version },
    methods: methodNames(methods).flatMap((name) => {
      const method = methods.get(name);
      return method === undefined ? [] : [describeMethod(method, notation)];
    }),
  };
}

function describeMethod(method: Method, notation: Notation): JsonObject {
  const schema = jsonSchema(method.params, notation);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const members = isObject(schema['properties']) ? schema['properties'] : {};
  const examples: Json[] = Object.entries(isObject(method.example.params) ? method.example.params : {}).map(([name, value]) => ({ name, value }));
  return {
    name: method.name,
    description: method.doc,
    paramStructure: 'by-name',
    params: Object.entries(members).map(([name, member]) => ({ name, required: required.includes(name), schema: member })),
    result: { name: 'result', schema: jsonSchema(method.result, notation) },
    errors: Object.entries(method.refuses).map(([name, text]) => ({
      code: method.run.thread === 'read' ? errorCodes.refusedByMethod : errorCodes.refusedByChain,
      message: typeof text === 'string' ? text : text.text,
      data: { name },
    })),
    examples: [{ name: 'example', params: examples, result: { name: 'result', value: method.example.result ?? emptyValue(method.result, notation) } }],
    'x-stability': method.stability,
    ...(method.needsPrivateKey ? { 'x-needs-private-key': true } : {}),
  };
}

/** A declared schema as plain JSON Schema: codecs describe what they read, TypeBox's own marks are dropped. */
function jsonSchema(schema: TSchema, notation: Notation): JsonObject {
  const described = asJson(describe(schema, notation));
  return isObject(described) ? described : {};
}

function describe(schema: TSchema, notation: Notation): unknown {
  if (isCoded(schema)) {
    const { codec, ...own } = schema;
    return { ...codec.describe(notation), ...own };
  }
  if (Type.IsObject(schema)) {
    const properties = Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, describe(member, notation)]));
    return { ...schema, properties };
  }
  return Type.IsArray(schema) ? { ...schema, items: describe(schema.items, notation) } : schema;
}

/** What a value of the schema looks like when nothing is filled in; optional members are left out. */
function emptyValue(schema: TSchema, notation: Notation): Json {
  const { default: declared }: { default?: Json } = schema;
  if (declared !== undefined) return declared;
  if (isCoded(schema)) return schema.codec.toJson(schema.codec.initial(notation), notation);
  if (Type.IsObject(schema)) {
    const members = Object.entries(schema.properties).filter(([, member]) => !Type.IsOptional(member));
    return Object.fromEntries(members.map(([name, member]) => [name, emptyValue(member, notation)]));
  }
  return Type.IsUnknown(schema) || Type.IsAny(schema) ? null : asJson(Create(schema));
}

/** Writing and reading again leaves JSON and nothing else. */
function asJson(value: unknown): Json {
  return readJsonText(writeJson(value));
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
