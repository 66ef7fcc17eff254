import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeJson } from '../../src/codec/json_writer.ts';
import { openRpc } from '../../src/rpc/openrpc.ts';
import { methodNames, signature } from '../../src/jsonrpc/envelope/openrpc.ts';
import { sampleMethods } from '../jsonrpc/sample_methods.ts';

const encoding = {
  coinSymbol: 'COIN',
  vestsSymbol: 'VESTS',
  keyPrefix: 'PHA',
  coinName: 'coin',
  dialect: 'default',
  operationForm: 'pair',
} as const;

test('the names of all methods are sorted', () => {
  const names = methodNames(sampleMethods);
  assert.equal(names.length, sampleMethods.size);
  assert.deepEqual(names, [...names].sort());
});

test('a signature shows params and result with nothing filled in, optional members left out', () => {
  assert.deepEqual(signature(sampleMethods, 'test_api.add', encoding), {
    args: { left: 0, right: 1 },
    ret: { sum: '' },
  });
  assert.deepEqual(signature(sampleMethods, 'alexandria_api.get_account', encoding), {
    args: { account_name: '' },
    ret: { account: [] },
  });
  assert.equal(signature(sampleMethods, 'no.such', encoding), null);
});

test('the document describes every method as plain JSON', () => {
  const document: { methods: { name: string; params: { name: string; required: boolean; schema: unknown }[] }[] } =
    JSON.parse(writeJson(openRpc(sampleMethods, encoding, 'Pharos', '0')));
  assert.deepEqual(
    document.methods.map(({ name }) => name),
    methodNames(sampleMethods),
  );
  const add = document.methods.find(({ name }) => name === 'test_api.add');
  assert.ok(add !== undefined);
  assert.deepEqual(
    add.params.map(({ name, required }) => [name, required]),
    [
      ['left', true],
      ['right', false],
      ['times', false],
    ],
  );
  assert.deepEqual(
    add.params.map(({ schema }) => Object.keys(Object(schema))),
    [['anyOf'], ['anyOf', 'default'], ['anyOf']],
  );
  const { anyOf }: { anyOf?: { pattern?: string }[] } = Object(add.params[2]?.schema);
  const [number, digits, none] = anyOf ?? [];
  assert.deepEqual([number, none], [{ type: 'integer', minimum: 0, maximum: 4294967295 }, { type: 'null' }]);
  assert.match('4294967295', new RegExp(digits?.pattern ?? ''));
  assert.doesNotMatch('4294967296', new RegExp(digits?.pattern ?? ''));
});
