import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Type, type TSchema } from '../../../src/jsonrpc/envelope/typebox.ts';
import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import { u64 } from '../../../src/codec/primitives.ts';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import type { EncodingOptions } from '../../../src/codec/encoding_options.ts';
import { defaultDialect, legacyDialect } from '../../../src/jsonrpc/envelope/dialect.ts';
import { makeEncoding } from '../../../src/rpc/make_encoding.ts';
import type { Method } from '../../../src/rpc/method.ts';
import { GROUP_OF_BARE_NAMES } from '../../../src/rpc/methods.ts';
import { isCoded } from '../../../src/jsonrpc/envelope/params.ts';
import { compileDecode, compileEncode, compileText } from '../../../src/jsonrpc/envelope/results.ts';
import { produce, makeTransaction } from '../../builders/chain.ts';
import { arbitraryJson, arbitraryParams } from '../../builders/declared_params.ts';
import { EDGES } from '../../builders/described_json.ts';
import { NodeOfMethods, type Answer } from './node_of_methods.ts';
import { isLong } from '../../builders/forms.ts';

const node = new NodeOfMethods();
const all = [...node.methods.values()];
const { profile } = node.parameters;

/** Returns the encodings of a method's values, for each kind of caller. */
function groupEncodings({ group }: Method): EncodingOptions[] {
  const own = makeEncoding(profile, group, defaultDialect);
  return group === GROUP_OF_BARE_NAMES ? [own, makeEncoding(profile, group, legacyDialect)] : [own];
}

/**
 * Every integer in JSON that has more than 32 bits, whether it is written as a number or as a text. Smaller ones are no
 * risk.
 */
function findLargeIntegers(json: Json): string[] {
  if (Array.isArray(json)) return json.flatMap(findLargeIntegers);
  if (isJsonObject(json)) return Object.values(json).flatMap(findLargeIntegers);
  const text = typeof json === 'bigint' || typeof json === 'number' || typeof json === 'string' ? String(json) : '';
  return /^-?\d{10,}$/.test(text) && BigInt.asIntN(33, BigInt(text)) !== BigInt(text) ? [text] : [];
}

/** Asserts that values from JSON come back through the text, and that no integer loses a digit. */
function assertComesBack(schema: TSchema, json: Json, encoding: EncodingOptions): void {
  const [decode, encode, textOf] = [compileDecode(schema), compileEncode(schema), compileText(schema)];
  if (decode === undefined || encode === undefined) return;
  const value = decode(json, encoding);
  const text = writeJson(encode(value, encoding));
  assert.equal(textOf?.(value, encoding), text);
  const written = readJsonText(text);
  assert.deepEqual(decode(written, encoding), value);
  const integers = new Set(findLargeIntegers(written));
  for (const integer of findLargeIntegers(json))
    assert.ok(integers.has(integer), `${integer} in ${writeJson(written)}`);
}

test('the params and the result of every method come back from JSON as they were, in every dialect', async (t) => {
  for (const method of all) {
    await t.test(method.name, () => {
      for (const encoding of groupEncodings(method)) {
        for (const schema of [method.params, method.result]) {
          fc.assert(
            fc.property(arbitraryJson(schema, encoding), (json) =>
              assertComesBack(schema, readJsonText(writeJson(json)), encoding),
            ),
            { numRuns: isLong ? 15 : 6 },
          );
        }
      }
    });
  }
});

test('whatever is asked as documented is answered as declared: by a result of its form, or by a refusal with a name', async (t) => {
  for (const method of all.filter(({ group, run }) => group !== '' && group !== 'debug_api' && run.kind === 'read')) {
    const [encoding = assert.fail()] = groupEncodings(method);
    await t.test(method.name, async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryParams(method, encoding), async (params) => {
          const { error } = await node.call(method.name, params);
          assert.notEqual(error?.code, -32603);
          if (error !== undefined) assert.equal(typeof error.data?.['name'], 'string', JSON.stringify(error));
        }),
        { numRuns: isLong ? 20 : 8 },
      );
    });
  }
  assert.deepEqual(node.reports, []);
});

/** The values of all members of that name, however deep. */
function membersCalled(name: string, json: unknown): unknown[] {
  if (Array.isArray(json)) return json.flatMap((item) => membersCalled(name, item));
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([member, value]) => (member === name ? [value] : membersCalled(name, value)));
}

function isLargeInteger(schema: TSchema): boolean {
  const own = makeEncoding(profile, '', defaultDialect);
  return isCoded(schema) && writeJson(schema.codec.describe(own)) === writeJson(u64.describe(own));
}

/** Every edge in every param that takes such integers, as a number and as a text. */
function* edgeCalls(): Generator<{
  readonly method: Method;
  readonly name: string;
  readonly edge: bigint;
  readonly given: Json;
}> {
  const edges = EDGES.filter((value) => value >= 0n && value < 2n ** 64n);
  for (const method of all.filter(({ group }) => group !== '')) {
    assert.ok(Type.IsObject(method.params));
    const names = Object.entries(method.params.properties).flatMap(([name, schema]) =>
      isLargeInteger(schema) ? [name] : [],
    );
    for (const name of names)
      for (const edge of edges) for (const given of [edge, String(edge)]) yield { method, name, edge, given };
  }
}

test('an integer at any edge that a method is given comes out of it unchanged where it shows it', async () => {
  let compared = 0;
  for (const { method, name, edge, given } of edgeCalls()) {
    const { params } = method.example;
    assert.ok(isJsonObject(params));
    const { result, error }: Answer = await node.call(method.name, { ...params, [name]: given });
    assert.notEqual(error?.code, -32602, `${method.name} ${name} ${edge}`);
    for (const shown of membersCalled(name, result))
      assert.equal(String(shown), String(edge), `${method.name} ${name}`);
    compared += membersCalled(name, result).length;
  }
  assert.ok(compared > 50, `${compared} values were shown again`);
});

test('the number of an application at any edge is the same in every method that shows the document', async () => {
  for (const app_id of EDGES.filter((edge) => edge > 0n && edge < 2n ** 64n)) {
    const text = String(app_id);
    const document: Json = [
      'custom_json',
      { fee: '0.010000 COIN', sender: 'dave', recipients: ['erin'], app_id, json: `{"of":"${text}"}` },
    ];
    const sent = makeTransaction(node.chain, node.parameters, [document], ['dave']);
    node.chain.accept(sent);
    const { number: block_num } = produce(node.chain);
    const received = { app_id: text, account_name: 'erin', search_type: 'by_recipient_reverse', start: '1', count: 1 };
    const shown = [
      await node.result('alexandria_api.get_received_documents', received),
      await node.result('custom_api.list_received_documents', { ...received, app_id }),
      await node.result('custom_api.get_app_custom_messages', { app_id, start: 1, limit: 1 }),
      await node.result('alexandria_api.get_transaction', { tx_id: sent.id }),
      await node.result('account_history_api.get_transaction', { id: sent.id }),
      await node.result('alexandria_api.get_block', { num: block_num }),
      await node.result('block_api.get_block', { block_num }),
      await node.result('alexandria_api.get_ops_in_block', { block_num, only_virtual: false }),
      await node.result('account_history_api.get_ops_in_block', { block_num, only_virtual: false }),
      await node.result('alexandria_api.get_account_history', { account: 'dave', start: -1, limit: 0 }),
      await node.result('account_history_api.get_account_history', { account: 'dave', start: -1, limit: 0 }),
    ];
    for (const result of shown)
      assert.deepEqual(membersCalled('app_id', result).map(String), [text], JSON.stringify(result));
  }
});
