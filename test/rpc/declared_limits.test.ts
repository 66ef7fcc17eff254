import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type, type TSchema } from '../../src/jsonrpc/envelope/typebox.ts';
import { isCoded } from '../../src/jsonrpc/envelope/params.ts';
import { listMethods } from '../../src/rpc/methods.ts';
import { emptyChain } from './empty_chain.ts';

const methods = listMethods(emptyChain().parameters.profile, {
  debug: true,
  network: true,
  production: true,
  snapshots: true,
});

/**
 * The lists in a schema that may have any number of items; a codec's own lists are limited by the size of what it
 * reads.
 */
function unlimitedLists(schema: TSchema, path: string): string[] {
  if (isCoded(schema)) return [];
  if (Type.IsArray(schema)) {
    const most: unknown = Reflect.get(schema, 'maxItems');
    return [...(typeof most === 'number' ? [] : [path]), ...unlimitedLists(schema.items, `${path}[]`)];
  }
  if (!Type.IsObject(schema)) return [];
  return Object.entries(schema.properties).flatMap(([name, member]) => unlimitedLists(member, `${path}.${name}`));
}

test('every list in the params of every method has a limit', () => {
  assert.ok(methods.size > 100);
  assert.deepEqual(
    [...methods.values()].flatMap(({ name, params }) => unlimitedLists(params, name)),
    [],
  );
});

test('every method that takes lists or signatures says what they weigh', () => {
  for (const name of [
    'database_api.find_accounts',
    'alexandria_api.get_accounts',
    'alexandria_api.get_key_references',
    'database_api.verify_authority',
  ])
    assert.ok((methods.get(name)?.weight.item ?? 0) > 0, name);
});
