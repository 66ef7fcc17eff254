import assert from 'node:assert/strict';

/** Anything that an answer can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The value at a path such as `result.account.0.balance`; fails when there is none. */
export function at(value: Json, path: string): Json {
  let found: Json | undefined = value;
  for (const name of path.split('.')) {
    found = member(found, name);
    assert.notEqual(found, undefined, `no ${path} in ${JSON.stringify(value).slice(0, 1000)}`);
  }
  return found ?? null;
}

/** The same without failing; undefined when there is none. */
export function optionalMember(value: Json, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>((found, name) => member(found, name), value);
}

export function textMember(value: Json, path: string): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : assert.fail(`${path} is no text: ${JSON.stringify(found)}`);
}

export function numberMember(value: Json, path: string): number {
  const found = at(value, path);
  return typeof found === 'number' ? found : assert.fail(`${path} is no number: ${JSON.stringify(found)}`);
}

export function listMember(value: Json, path: string): readonly Json[] {
  const found = at(value, path);
  return isList(found) ? found : assert.fail(`${path} is no list: ${JSON.stringify(found)}`);
}

function member(value: Json | undefined, name: string): Json | undefined {
  if (value === undefined || value === null || typeof value !== 'object') return undefined;
  if (isList(value)) return value[Number(name)];
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** `Array.isArray` does not know readonly lists. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
