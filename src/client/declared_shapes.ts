import type { JsonSchemaValue } from '../codec/codec.ts';
import { wordless } from '../codec/notation.ts';
import { u128 } from '../codec/primitives.ts';
import { jsonSchema } from '../jsonrpc/openrpc.ts';
import type { Method } from '../rpc/method.ts';
import type { OperationShapes, Shape } from './plain_values.ts';

/** The shape of the result that a declaration says. */
export function resultShape({ result }: Pick<Method, 'result'>): Shape | undefined {
  return shapeOf(jsonSchema(result, wordless));
}

/** The shapes of the bodies of all operations. */
export async function operationShapes(): Promise<OperationShapes> {
  const { operationKinds } = await import('../operations/index.ts');
  const shapes = Object.values(operationKinds).flatMap((kind) => {
    const shape = shapeOf(kind.describe(wordless));
    return shape === undefined ? [] : [[kind.name, shape] as const];
  });
  return Object.fromEntries(shapes);
}

const WIDE = u128.describe(wordless)['pattern'];

/** What a description in JSON Schema says about integers, amounts and operations; undefined where it names none. */
function shapeOf(schema: unknown): Shape | undefined {
  if (!isObject(schema)) return undefined;
  const { type, pattern, anyOf, items, properties } = schema;
  if (pattern === WIDE || (Array.isArray(type) && type.includes('integer'))) return 'integer';
  if (Array.isArray(anyOf)) return anyOf.some(isOperation) ? 'operation' : firstShape(anyOf);
  if (isObject(properties)) return isAmount(properties) ? 'amount' : membersOf(Object.entries(properties));
  if (Array.isArray(items)) return membersOf(items.map((item: unknown, index) => [String(index), item]));
  const item = shapeOf(items);
  return item === undefined ? undefined : [item];
}

function firstShape(choices: readonly unknown[]): Shape | undefined {
  return choices.map(shapeOf).find((shape) => shape !== undefined);
}

function membersOf(members: readonly (readonly [string, unknown])[]): Shape | undefined {
  const shapes = members.flatMap(([name, schema]) => {
    const shape = shapeOf(schema);
    return shape === undefined ? [] : [[name, shape] as const];
  });
  return shapes.length === 0 ? undefined : Object.fromEntries(shapes);
}

function isAmount(properties: { readonly [name: string]: unknown }): boolean {
  return 'amount' in properties && ('nai' in properties || 'symbol' in properties);
}

/** A pair whose first element is a name. */
function isOperation(choice: unknown): boolean {
  const parts: readonly unknown[] = isObject(choice) && Array.isArray(choice['prefixItems']) ? choice['prefixItems'] : [];
  const [name] = parts;
  return isObject(name) && typeof name['const'] === 'string';
}

function isObject(value: unknown): value is { readonly [name: string]: JsonSchemaValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
