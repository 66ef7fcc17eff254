import { Fault } from '../base/fault.ts';
import { neutralEncoding } from '../codec/encoding_options.ts';
import { isJsonObject, type Json } from '../codec/json.ts';
import { onlyMember } from '../jsonrpc/envelope/cursor.ts';
import { jsonSchema } from '../jsonrpc/envelope/openrpc.ts';
import type { Method } from '../rpc/method.ts';

/** An array may have thousands. */
const MOST_NAMES = 20;

/** The error of a path that leads to no member; `names` are the members that stand in its place. */
export function noMember(path: string, name: string, names: readonly string[], end = ''): Fault {
  const shown = names.slice(0, MOST_NAMES).join(', ') || 'none';
  return new Fault('configuration', `--member ${path}: the result has no ${name} there; members there: ${shown}${end}`);
}

/**
 * Refuses a path that the declared result of a method can't have, if the method changes something: the call would be
 * carried out, and its result lost. Returns whether the method is known to change nothing.
 */
export async function checkMember(name: string, path: string): Promise<boolean> {
  const method = await findMethod(name);
  if (method === undefined) return false;
  if (method.run.kind === 'read' || method.changes === false) return true;
  // A bare name is answered as old clients read it, without the object around an only member.
  const result = name.includes('.') ? method.result : (onlyMember(method.result)?.schema ?? method.result);
  requireDeclared(jsonSchema(result, neutralEncoding), path);
  return false;
}

/** The declaration of a method by its full or bare name; undefined where this version has none. */
async function findMethod(name: string): Promise<Method | undefined> {
  const { GROUP_OF_BARE_NAMES, listMethods } = await import('../rpc/methods.ts');
  const all = { debug: true, network: true, production: true, snapshots: true };
  const methods = listMethods({ fiatConversion: { method: 'fiat_to_coin', result: 'coin' } }, all);
  return methods.get(name) ?? methods.get(`${GROUP_OF_BARE_NAMES}.${name}`);
}

/** Only members of objects are certain: the forms of amounts and operations depend on the chain. */
function requireDeclared(result: Json, path: string): void {
  let schema: Json | undefined = result;
  for (const name of path.split('.')) {
    if (!isJsonObject(schema)) return;
    const { properties, items }: { readonly [member: string]: Json } = schema;
    if (isJsonObject(properties)) {
      if (isOpen(schema)) return;
      if (!Object.hasOwn(properties, name)) throw noMember(path, name, Object.keys(properties), '; nothing was sent');
      schema = properties[name];
    } else schema = /^\d+$/.test(name) ? items : undefined;
  }
}

/** True when an object may have members that its schema does not name. */
function isOpen({ additionalProperties = false, patternProperties }: { readonly [member: string]: Json }): boolean {
  return additionalProperties !== false || patternProperties !== undefined;
}
