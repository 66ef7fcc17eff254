import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { Compile } from 'typebox/schema';
import type { Json } from '../../../src/codec/json.ts';
import type { Method } from '../../../src/rpc/method.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { openRpc } from '../../../src/rpc/openrpc.ts';
import { notation } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

type JsonObject = { [member: string]: Json };

const node = new NodeOfMethods();
/** All but those that only the legacy dialect has. */
const grouped = [...node.methods.values()].filter(({ group }) => group !== '');

/** Methods whose example can't be carried out on the chain of the test, because their transaction stands there already. */
const sent: ReadonlySet<string> = new Set([
  'alexandria_api.broadcast_transaction',
  'alexandria_api.send_and_sign_transaction',
  'network_broadcast_api.broadcast_transaction',
  'network_broadcast_api.broadcast_transaction_synchronous',
]);

/** Methods that the interface documents as not implemented: their example is refused as that. */
const notImplemented: ReadonlySet<string> = new Set(['database_api.verify_account_authority']);

/** What no param takes. */
const wrong: Json = { not: ['this'] };

function requiredMembers({ params }: Method): string[] {
  assert.ok(Type.IsObject(params));
  return Object.entries(params.properties).flatMap(([name, member]) => (Type.IsOptional(member) || 'default' in member ? [] : [name]));
}

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** What each method is documented to answer; shapes that many methods have in common stand beside it. */
function documented(): Map<string, JsonObject> {
  const document = openRpc(node.methods, notation, 'test', '1');
  assert.ok(isObject(document) && Array.isArray(document['methods']));
  const { methods, components = {} } = document;
  return new Map(methods.filter(isObject).map(({ name = null, result }) => [writeJson(name), { ...schemaOf(result), components }]));
}

function schemaOf(result: Json | undefined): JsonObject {
  assert.ok(isObject(result) && isObject(result['schema']));
  return result['schema'];
}

test('the example of every method is answered, by what its result is declared to be', async (t) => {
  const documents = documented();
  for (const method of grouped) {
    await t.test(method.name, async () => {
      if (sent.has(method.name)) {
        const { error } = await node.call(method.name, method.example.params);
        assert.equal(error?.code, -32000);
        return;
      }
      if (notImplemented.has(method.name)) {
        assert.equal((await node.call(method.name, method.example.params)).error?.data?.['name'], 'not_implemented');
        return;
      }
      const result = await node.result(method.name, method.example.params);
      if (method.example.result !== undefined) assert.deepEqual(result, method.example.result);
      const schema = documents.get(writeJson(method.name));
      assert.ok(schema !== undefined);
      const [fits, errors] = Compile(schema).Errors(result);
      assert.ok(fits, `${JSON.stringify(result)}: ${JSON.stringify(errors)}`);
    });
  }
  assert.deepEqual(node.reports, []);
});

test('unknown, missing and wrong params are refused by their names', async (t) => {
  for (const method of grouped) {
    await t.test(method.name, async () => {
      const { params } = method.example;
      assert.ok(isObject(params));
      const unknown = await node.call(method.name, { ...params, nonsense: 1 });
      assert.equal(unknown.error?.code, -32602);
      assert.equal(unknown.error.data?.['member'], 'nonsense');
      for (const name of method.paramNames) {
        const refused = await node.call(method.name, { ...params, [name]: wrong });
        assert.equal(refused.error?.code, -32602, `${name}: ${JSON.stringify(refused)}`);
        assert.match(String(refused.error.data?.['member']), new RegExp(`^${name}\\b`));
      }
      for (const name of requiredMembers(method)) {
        const { [name]: _, ...rest } = params;
        const missing = await node.call(method.name, rest);
        assert.equal(missing.error?.code, -32602, `${name}: ${JSON.stringify(missing)}`);
        assert.equal(missing.error.data?.['member'], name);
      }
    });
  }
});

test('every method says what it is, and get_methods names it', async () => {
  const names = await node.result('jsonrpc.get_methods');
  assert.deepEqual(names, grouped.map(({ name }) => name).toSorted());
  for (const { name, doc } of node.methods.values()) assert.ok(doc.length > 10, name);
});

test('get_signature shows params and result of every method with nothing filled in, and null for others', async () => {
  for (const method of grouped) {
    const signature = await node.result('jsonrpc.get_signature', { method: method.name });
    assert.deepEqual(Object.keys(Object(signature)), ['args', 'ret'], method.name);
  }
  assert.equal(await node.result('jsonrpc.get_signature', { method: 'no_api.nothing' }), null);
});
