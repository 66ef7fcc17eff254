import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Compile } from 'typebox/schema';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { decodeWif } from '../../../src/crypto/wif.ts';
import { errorCodes, refuseCall } from '../../../src/jsonrpc/envelope/errors.ts';
import { listMethods } from '../../../src/rpc/methods.ts';
import { openRpc, openRpcPieces } from '../../../src/rpc/openrpc.ts';
import { profiles } from '../../../src/values/profile.ts';
import { encoding } from '../../builders/chain.ts';

type JsonObject = { [member: string]: unknown };

const methods = listMethods(profiles['default'] ?? assert.fail(), {
  debug: true,
  network: true,
  production: true,
  snapshots: true,
});
const text = writeJson(openRpc(methods, encoding, 'Pharos', '1.2.3'));
const document: {
  methods: JsonObject[];
  'x-operations': JsonObject[];
  components: { schemas: JsonObject; errors: Record<string, { code: number }> };
} = JSON.parse(text);

/** One schema of the two that refer to each other. */
function metaSchema(): JsonObject {
  const source = (name: string): string =>
    readFileSync(new URL(`../../../../test/rpc/openrpc/${name}`, import.meta.url), 'utf8');
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

test('Ajv compiles every schema of the document as draft 2020-12 in strict mode', () => {
  const ajv = new Ajv2020({ strict: true });
  // The members of an OpenRPC document are no keywords of a schema.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, 'document');
  const compile = (pointer: string): void => void ajv.compile({ $ref: `document#/${pointer}` });
  for (const [k, { params }] of document.methods.entries()) {
    assert.ok(Array.isArray(params));
    for (const at of params.keys()) compile(`methods/${k}/params/${at}/schema`);
    compile(`methods/${k}/result/schema`);
  }
  for (const k of document['x-operations'].keys()) compile(`x-operations/${k}/schema`);
  for (const name of Object.keys(document.components.schemas)) compile(`components/schemas/${name}`);
});

/** All objects in the document that are both required and have a default, by their place. */
function requiredWithDefault(json: unknown, place: string): string[] {
  if (Array.isArray(json)) return json.flatMap((item, k) => requiredWithDefault(item, `${place}[${k}]`));
  if (typeof json !== 'object' || json === null) return [];
  const { required, properties, schema }: { required?: unknown; properties?: unknown; schema?: unknown } = json;
  const names: unknown[] = Array.isArray(required) ? required : [];
  const own = Object.entries(Object(properties)).flatMap(([name, member]) =>
    names.includes(name) && hasDefault(member) ? [name] : [],
  );
  const isOne = required === true && hasDefault(schema);
  return [
    ...(isOne ? [place] : []),
    ...own.map((name) => `${place}.${name}`),
    ...Object.entries(json).flatMap(([name, member]) =>
      name.startsWith('example') ? [] : requiredWithDefault(member, `${place}.${name}`),
    ),
  ];
}

function hasDefault(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'default' in schema;
}

test('nothing is required that has a default', () => {
  assert.deepEqual(requiredWithDefault(document, ''), []);
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
  for (const [name, { refuses, refusesLineageOnly }] of methods) {
    const described = document.methods.find((method) => method['name'] === name);
    const errors: { data: { name: string } }[] = JSON.parse(JSON.stringify(described?.['errors'] ?? []));
    assert.deepEqual(
      errors.map(({ data }) => data.name),
      Object.keys(refuses).filter((code) => refusesLineageOnly?.has(code) !== true),
    );
  }
});

test('what only clients of the lineage are refused stands in the document of a chain that answers as the lineage', () => {
  const hidden = [...methods.values()].flatMap(({ name, refusesLineageOnly }) =>
    [...(refusesLineageOnly ?? [])].map((code) => [name, code]),
  );
  assert.ok(hidden.length >= 8);
  const methodErrors = (json: string): Map<string, string[]> => {
    const { methods: described }: { methods: { name: string; errors: { data: { name: string } }[] }[] } =
      JSON.parse(json);
    return new Map(described.map(({ name, errors }) => [name, errors.map(({ data }) => data.name)]));
  };
  const [own, lineage] = [encoding, { ...encoding, answersLineage: true }].map((each) =>
    methodErrors([...openRpcPieces(methods, each, 'a title', '1')].join('')),
  );
  for (const [name = '', code = ''] of hidden)
    assert.deepEqual(
      [own?.get(name)?.includes(code), lineage?.get(name)?.includes(code)],
      [false, true],
      `${name} ${code}`,
    );
});

test('the document fits into one answer', () => {
  assert.ok(text.length < 1024 * 1024, `${text.length} characters`);
});
