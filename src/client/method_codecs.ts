import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { Notation } from '../codec/notation.ts';
import type { Method } from '../rpc/method.ts';
import { compileDecode, compileEncode, type Encode } from '../jsonrpc/results.ts';

/** Writes the params of a method and reads its results. */
export interface MethodCodec {
  writeParams(params: object, notation: Notation): { [member: string]: Json };
  readResult(json: Json, notation: Notation): unknown;
}

const compiled = new Map<string, MethodCodec>();

/** The codec of a method, compiled at its first use. Refuses a name that this package doesn't know. */
export async function methodCodec(name: string): Promise<MethodCodec> {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const { params, result } = await declarationOf(name);
  const encode: Encode = compileEncode(params) ?? ((value) => value);
  const decode = compileDecode(result);
  const codec: MethodCodec = {
    writeParams: (values, notation) => given(encode(values, notation)),
    readResult: (json, notation) => (decode === undefined ? json : decode(json, notation)),
  };
  compiled.set(name, codec);
  return codec;
}

type Declaration = Pick<Method, 'name' | 'params' | 'result'>;

/** Each method has a file of its own name, which is loaded when needed: no program calls all of them. */
async function declarationOf(name: string): Promise<Declaration> {
  const [, group, method] = /^([a-z_]+)\.([a-z0-9_]+)$/.exec(name) ?? [];
  const declared = group === undefined || method === undefined ? [] : Object.values(await exportsOf(group, method));
  const declaration = declared.find((value): value is Declaration => isDeclaration(value) && value.name === name);
  if (declaration === undefined) throw new Refusal('unknown_method', `this client knows no method ${name}`, { method: name });
  return declaration;
}

async function exportsOf(group: string, method: string): Promise<object>;
async function exportsOf(group: string, method: string): Promise<unknown> {
  try {
    // A bundler reads from this path which files there are; what it throws for others has no code.
    const module: unknown = await import(`../rpc/${group}/${method}.js`);
    return module;
  } catch (error) {
    if (
      error instanceof Error &&
      (error.message.startsWith('Module not found in bundle') || ('code' in error && error.code === 'ERR_MODULE_NOT_FOUND'))
    )
      return {};
    throw error;
  }
}

function isDeclaration(value: unknown): value is Declaration {
  return typeof value === 'object' && value !== null && 'name' in value && 'params' in value && 'result' in value;
}

/** The members that are not undefined. */
function given(params: unknown): { [member: string]: Json };
function given(params: unknown): Record<string, unknown> {
  const members: [string, unknown][] = typeof params === 'object' && params !== null ? Object.entries(params) : [];
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
