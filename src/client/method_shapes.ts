import type { Method } from '../rpc/method.ts';
import { operationShapes as declaredShapes, resultShape } from './declared_shapes.ts';
import type { OperationShapes, Shape } from './plain_values.ts';
import { unknownMethod } from './unknown_method.ts';

// The package pharos-client has a table in place of this file, made of the same declarations.

const shapes = new Map<string, Shape | undefined>();
let bodies: Promise<OperationShapes> | undefined;

/**
 * The shape of a method's result; undefined where programs see it as it is. Refuses a name that this package doesn't
 * know.
 */
export async function methodShape(name: string): Promise<Shape | undefined> {
  if (!shapes.has(name)) shapes.set(name, resultShape(await loadDeclaration(name)));
  return shapes.get(name);
}

/** The shapes of the bodies of operations. */
export async function operationShapes(): Promise<OperationShapes> {
  return await (bodies ??= declaredShapes());
}

type Declaration = Pick<Method, 'name' | 'result'>;

/** Each method has a file of its own name, which is loaded when needed: no program calls all of them. */
async function loadDeclaration(name: string): Promise<Declaration> {
  const [, group, method] = /^([a-z_]+)\.([a-z0-9_]+)$/.exec(name) ?? [];
  const declared = group === undefined || method === undefined ? [] : Object.values(await importMethod(group, method));
  const declaration = declared.find((value): value is Declaration => isDeclaration(value) && value.name === name);
  if (declaration === undefined) throw unknownMethod(name, await methodNames());
  return declaration;
}

/** Names of all methods, which takes the declarations of all. */
async function methodNames(): Promise<Iterable<string>> {
  const { listMethods } = await import('../rpc/methods.ts');
  const all = { debug: true, network: true, production: true, snapshots: true };
  return listMethods({ fiatConversion: { method: 'fiat_to_coin', result: 'coin' } }, all).keys();
}

async function importMethod(group: string, method: string): Promise<object>;
async function importMethod(group: string, method: string): Promise<unknown> {
  try {
    // A bundler reads from this path which files there are; what it throws for others has no code.
    const module: unknown = await import(`../rpc/${group}/${method}.js`);
    return module;
  } catch (error) {
    if (
      error instanceof Error &&
      (error.message.startsWith('Module not found in bundle') ||
        ('code' in error && error.code === 'ERR_MODULE_NOT_FOUND'))
    )
      return {};
    throw error;
  }
}

function isDeclaration(value: unknown): value is Declaration {
  return typeof value === 'object' && value !== null && 'name' in value && 'result' in value;
}
