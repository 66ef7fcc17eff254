import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from '../../../src/jsonrpc/envelope/typebox.ts';
import { present } from '../../../src/base/assert.ts';
import { signedBlock } from '../../../src/blocks/block.ts';
import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import type { Method } from '../../../src/rpc/method.ts';
import { GROUP_OF_BARE_NAMES } from '../../../src/rpc/methods.ts';
import { sampleBlock, sampleOperation, sampleTransaction } from '../../../src/rpc/sample_transaction.ts';
import { parseTime } from '../../../src/values/time.ts';
import { finalise } from '../../builders/certificates.ts';
import { encoding, testKeyText, openChain, produce, testParameters, makeTransaction } from '../../builders/chain.ts';
import { DeclaredAnswers } from '../../builders/declared_answers.ts';
import { NodeOfMethods, type Answer, type NodeOptions } from './node_of_methods.ts';

const node = new NodeOfMethods();
const all = [...node.methods.values()];
/** All but those that only the legacy dialect has. */
const grouped = all.filter(({ group }) => group !== '');
const bare = all.filter(({ group }) => group === GROUP_OF_BARE_NAMES);

/** The example's params by position, as old SDKs send them. */
function positional({ example: { params }, paramNames }: Method): Json[] {
  if (Array.isArray(params)) return params;
  assert.ok(isJsonObject(params));
  const last = paramNames.findLastIndex((name) => params[name] !== undefined);
  return paramNames.slice(0, last + 1).map((name) => params[name] ?? null);
}

/** The example as a body. */
function makeExample(method: Method): Json {
  const { name, group, example } = method;
  return group === ''
    ? { id: 1, method: name, params: positional(method) }
    : { jsonrpc: '2.0', id: 1, method: name, params: example.params };
}

/** The sample transaction is signed for no chain; here it is signed for that of the tests. */
const signedSample = makeTransaction(node.chain, node.parameters, [sampleOperation], ['alice'], {
  reference: '0'.repeat(40),
  expiration: present(parseTime(sampleTransaction.expiration), 'a time'),
});

/** So is the sample block. */
const firstBlock = ((): Json => {
  const { header, transactions } = produce(openChain(node.parameters));
  return signedBlock.toJson({ ...header, transactions: transactions.map(({ transaction }) => transaction) }, encoding);
})();

function resigned(body: Json): Json {
  const [sample = '', ours = ''] = [sampleTransaction.signatures[0], signedSample.transaction.signatures[0]];
  return readJsonText(
    writeJson(body).replaceAll(sample, ours).replaceAll(writeJson(sampleBlock), writeJson(firstBlock)),
  );
}

/**
 * Answers a body on a chain with everything on it, or else on one of its own with nothing on it: an example that sends
 * something can be carried out once only, and its chain has that already.
 */
async function answerBody(body: Json, filled = node): Promise<Answer> {
  const answer = await filled.send(body);
  if (answer.error === undefined) return answer;
  const fresh = new NodeOfMethods({ isEmpty: true });
  const second = await fresh.send(resigned(body));
  assert.deepEqual(fresh.reports, []);
  if (second.error === undefined) return second;
  const elsewhere = otherChains[String(answer.error.data?.['name'])];
  return elsewhere === undefined ? answer : await elsewhere.send(body);
}

/** A chain of which every third block sets prices, and its only witness says one. */
const priced = ((): NodeOfMethods => {
  const parameters = testParameters({
    genesis_time: '2026-01-01T00:00:00',
    block_interval: 1200,
    max_witnesses: 10,
    max_voted_witnesses: 6,
  });
  const own = new NodeOfMethods({ parameters, isEmpty: true });
  const exchange_rate = { base: '1.000000 COIN', quote: '0.250000 USD' };
  const price: Json = ['feed_publish', { fee: '0.000000 COIN', publisher: 'initminer', exchange_rate }];
  const expiration = own.chain.head.time + 3600;
  own.chain.accept(makeTransaction(own.chain, parameters, [price], ['initminer'], { expiration }));
  for (let block = 0; block < 4; block++) produce(own.chain);
  return own;
})();

/** A chain with finality, whose blocks are final. */
const proven = ((): NodeOfMethods => {
  const parameters = testParameters({ genesis_time: '2026-01-01T00:00:00', finality: true });
  const own = new NodeOfMethods({ parameters });
  for (let number = 1; number <= own.chain.head.number; number++) finalise(own.chain, parameters, number);
  return own;
})();

/** Chains for examples that most chains refuse, by the name of the error. */
const otherChains: Readonly<Record<string, NodeOfMethods>> = { no_current_feed: priced, no_finality: proven };

/** A price is the median of the feeds of a tenth of the places: one feed of fewer than ten places is enough. */
function nodeOptions({ name }: Method): NodeOptions {
  if (name !== 'debug_api.set_price') return {};
  const round = { max_witnesses: 9, max_voted_witnesses: 9, impersonator: testKeyText('impersonator') };
  return { parameters: testParameters({ genesis_time: '2026-01-01T00:00:00', ...round }) };
}

/** The interface marks a method as not implemented: it is refused as that and never answers. */
const isImplemented = ({ refuses }: Method): boolean => refuses['not_implemented'] === undefined;

/** A value that no param takes. */
const wrong: Json = { not: ['this'] };

function requiredMembers({ params }: Method): string[] {
  assert.ok(Type.IsObject(params));
  return Object.entries(params.properties).flatMap(([name, member]) =>
    Type.IsOptional(member) || 'default' in member ? [] : [name],
  );
}

test('the example of every method is answered, by what its result is declared to be', async (t) => {
  for (const method of all) {
    await t.test(method.name, async () => {
      // Methods that move the chain have one of their own.
      const { error, result } = await answerBody(
        makeExample(method),
        method.group === 'debug_api' ? new NodeOfMethods(nodeOptions(method)) : node,
      );
      if (!isImplemented(method)) return assert.equal(error?.data?.['name'], 'not_implemented');
      assert.equal(error, undefined);
      if (method.example.result !== undefined) assert.deepEqual(result, method.example.result);
    });
  }
  assert.deepEqual(node.reports, []);
});

test('every method with a bare name answers the same to the old form: params by position, the result unwrapped', async (t) => {
  for (const method of bare) {
    await t.test(method.name, async () => {
      const name = method.name.slice(GROUP_OF_BARE_NAMES.length + 1);
      const old = Object(await answerBody({ id: 7, jsonrpc: '2.0', method: name, params: positional(method) }));
      assert.deepEqual(Object.keys(old), ['id', 'result'], JSON.stringify(old));
      assert.equal(old.id, 7);
      const { result } = await answerBody(makeExample(method));
      const [shown] = Object.values(Object(result));
      // To the lineage's clients large integers are texts.
      const form = typeof shown === 'number' && shown > 0xffff_ffff ? 'string' : typeof shown;
      assert.equal(typeof old.result, shown === undefined ? 'object' : form);
    });
  }
});

test('unknown, missing and wrong params are refused by their names', async (t) => {
  for (const method of grouped) {
    await t.test(method.name, async () => {
      const { params } = method.example;
      assert.ok(isJsonObject(params));
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

test('every method says what it is, get_methods names it, and the document describes it', async () => {
  const names = await node.result('jsonrpc.get_methods');
  assert.deepEqual(names, grouped.map(({ name }) => name).toSorted());
  for (const { name, doc } of all) assert.ok(doc.length > 10, name);
  const document = Object(await node.result('rpc.discover'));
  assert.deepEqual(
    document.methods.map(({ name }: { name: string }) => name),
    all.map(({ name }) => name).toSorted(),
  );
});

test('get_signature shows params and result of every method with nothing filled in, and null for others', async () => {
  for (const method of grouped) {
    const signature = await node.result('jsonrpc.get_signature', { method: method.name });
    assert.deepEqual(Object.keys(Object(signature)), ['args', 'ret'], method.name);
  }
  assert.equal(await node.result('jsonrpc.get_signature', { method: 'no_api.nothing' }), null);
});

test('an answer that is not as declared, or is refused for a reason that is not, does not pass unnoticed', () => {
  const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
  const errors = [{ code: -32003, message: '', data: { name: 'declared' } }];
  const declared = new DeclaredAnswers({ methods: [{ name: 'a.b', result: { schema }, errors }], components: {} });
  const refused = (name: string): object => ({ error: { code: -32003, message: '', data: { name } } });
  declared.check('a.b', { result: { n: 1 } });
  declared.check('a.b', refused('declared'));
  for (const answer of [{ result: { n: '1' } }, { result: {} }, {}, refused('other')])
    assert.throws(() => declared.check('a.b', answer));
});
