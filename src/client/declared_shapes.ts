import type { JsonSchemaValue } from '../codec/codec.ts';
import { neutralEncoding } from '../codec/encoding_options.ts';
import { u128 } from '../codec/primitives.ts';
import { jsonSchema } from '../jsonrpc/envelope/openrpc.ts';
import type { Method } from '../rpc/method.ts';
import type { OperationShapes, Shape } from './plain_values.ts';

/** The shape of the result that a declaration says. */
export function resultShape({ result }: Pick<Method, 'result'>): Shape | undefined {
  return readShape(jsonSchema(result, neutralEncoding));
}

/** The shapes of the bodies of all operations. */
export async function operationShapes(): Promise<OperationShapes> {
  const { operationKinds } = await import('../operations/index.ts');
  const shapes = Object.values(operationKinds).flatMap((kind) => {
    const shape = readShape(kind.describe(neutralEncoding));
    return shape === undefined ? [] : [[kind.name, shape] as const];
  });
  return Object.fromEntries(shapes);
}

const WIDE = u128.describe(neutralEncoding)['pattern'];

/** Reads integers, amounts and operations from a JSON Schema; undefined when it names none. */
function readShape(schema: unknown): Shape | undefined {
  if (!isObject(schema)) return undefined;
  const { pattern, anyOf, items, prefixItems, properties } = schema;
  if (pattern === WIDE) return 'integer';
  if (Array.isArray(anyOf))
    return isLargeInteger(anyOf) ? 'integer' : anyOf.some(isOperation) ? 'operation' : firstShape(anyOf);
  if (isObject(properties)) return isAmount(properties) ? 'amount' : objectShape(Object.entries(properties));
  if (Array.isArray(prefixItems)) return objectShape(prefixItems.map((item: unknown, index) => [String(index), item]));
  const item = readShape(items);
  return item === undefined ? undefined : [item];
}

/** An integer that is a text where a number would not be exact. */
function isLargeInteger(choices: readonly unknown[]): boolean {
  const allowsType = (type: string): boolean => choices.some((choice) => isObject(choice) && choice['type'] === type);
  return allowsType('integer') && allowsType('string');
}

function firstShape(choices: readonly unknown[]): Shape | undefined {
  return choices.map(readShape).find((shape) => shape !== undefined);
}

function objectShape(members: readonly (readonly [string, unknown])[]): Shape | undefined {
  const shapes = members.flatMap(([name, schema]) => {
    const shape = readShape(schema);
    return shape === undefined ? [] : [[name, shape] as const];
  });
  return shapes.length === 0 ? undefined : Object.fromEntries(shapes);
}

function isAmount(properties: { readonly [name: string]: unknown }): boolean {
  return 'amount' in properties && ('nai' in properties || 'symbol' in properties);
}

/** A pair whose first element is a name. */
function isOperation(choice: unknown): boolean {
  const parts: readonly unknown[] =
    isObject(choice) && Array.isArray(choice['prefixItems']) ? choice['prefixItems'] : [];
  const [name] = parts;
  return isObject(name) && typeof name['const'] === 'string';
}

function isObject(value: unknown): value is { readonly [name: string]: JsonSchemaValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
