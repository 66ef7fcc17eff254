import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Compile } from 'typebox/schema';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { decodeWif } from '../../../src/crypto/wif.ts';
import { errorCodes, refuseCall } from '../../../src/jsonrpc/errors.ts';
import { methodsOf } from '../../../src/rpc/methods.ts';
import { openRpc } from '../../../src/rpc/openrpc.ts';
import { profiles } from '../../../src/values/profile.ts';
import { notation } from '../../builders/chain.ts';

type JsonObject = { [member: string]: unknown };

const methods = methodsOf(profiles['default'] ?? assert.fail(), { debug: true, network: true, production: true, snapshots: true });
const text = writeJson(openRpc(methods, notation, 'Pharos', '1.2.3'));
const document: { methods: JsonObject[]; components: { schemas: JsonObject; errors: Record<string, { code: number }> } } = JSON.parse(text);

/** One schema of the two that refer to each other. */
function metaSchema(): JsonObject {
  const source = (name: string): string => readFileSync(new URL(`../../../../test/rpc/openrpc/${name}`, import.meta.url), 'utf8');
  const inner: { definitions: JsonObject; oneOf: unknown } = JSON.parse(
    source('json_schema.json').replaceAll('"$ref": "#"', '"$ref": "#/definitions/JSONSchema"'),
  );
  const outer: { definitions: JsonObject; $id?: string; $schema?: string } = JSON.parse(
    source('meta_schema.json')
      .replaceAll('"https://meta.json-schema.tools/#/', '"#/')
      .replaceAll('"$ref": "https://meta.json-schema.tools"', '"$ref": "#/definitions/JSONSchema"'),
  );
  // Both name their definitions from the root, and no name stands in both but that of a schema itself.
  const { $id: _id, $schema: _schema, ...rest } = outer;
  return { ...rest, definitions: { ...outer.definitions, ...inner.definitions, JSONSchema: { oneOf: inner.oneOf } } };
}

test('the document is one by the meta-schema of OpenRPC', () => {
  const meta = Compile(metaSchema());
  const [fits, errors] = meta.Errors(document);
  assert.ok(fits, JSON.stringify(errors.slice(0, 3)));
  // The schema can refuse: without this, an unresolved reference would pass anything.
  const refused: unknown[] = [
    { ...document, openrpc: '9.9.9' },
    { ...document, methods: [{ name: 'a.b' }] },
    { ...document, methods: [{ ...document.methods[0], params: [{ name: 'x', schema: { type: 'no type' } }] }] },
    { ...document, methods: [{ ...document.methods[0], unknown: 1 }] },
  ];
  for (const other of refused) assert.equal(meta.Check(other), false);
});

test('every reference leads to a shape', () => {
  const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference);
  assert.ok(references.length > 100);
  for (const reference of references)
    assert.ok(document.components.schemas[reference.replace('#/components/schemas/', '')] !== undefined, reference);
});

test('no example shows a private key', () => {
  for (const [word] of text.matchAll(/[1-9A-HJ-NP-Za-km-z]{51}/g)) assert.equal(decodeWif(word), undefined, word);
  const needing = document.methods.filter((method) => method['x-needs-private-key'] === true);
  assert.ok(needing.length >= 4);
});

test('the table of errors is that of the code', () => {
  const documented = Object.entries(document.components.errors);
  const kinds = documented.filter(([name]) => !(name in refuseCall.texts)).map(([name, { code }]) => [name, code]);
  assert.deepEqual(Object.fromEntries(kinds), { ...errorCodes });
  for (const name of Object.keys(refuseCall.texts)) assert.ok(name in document.components.errors, name);
  for (const [name, { refuses }] of methods) {
    const described = document.methods.find((method) => method['name'] === name);
    const errors: { data: { name: string } }[] = JSON.parse(JSON.stringify(described?.['errors'] ?? []));
    assert.deepEqual(
      errors.map(({ data }) => data.name),
      Object.keys(refuses),
    );
  }
});

test('the document fits into one answer', () => {
  assert.ok(text.length < 1024 * 1024, `${text.length} characters`);
});
