import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../src/base/assert.ts';
import { isJsonObject, type Json } from '../../src/codec/json.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { operationKinds } from '../../src/operations/index.ts';
import type { Method } from '../../src/rpc/method.ts';
import { sampleTransaction } from '../../src/rpc/sample_transaction.ts';
import { MAX_APPLICATION_NAME_BYTES, MAX_MEMO_BYTES, MAX_URL_BYTES } from '../../src/values/limits.ts';
import { formSize } from '../builders/forms.ts';
import { oddTexts } from '../builders/mutated_calls/odd_values.ts';
import { samples } from '../pages/docs/built.ts';
import { findFault } from './checked_call.ts';
import { NodeOfMethods } from './methods/node_of_methods.ts';

/** The number of odd values in each place of a call; the walk goes on with the next ones at the next place. */
const AT_EACH_PLACE = formSize('PHAROS_TEST_CALLS', { short: 5, long: 100 });

/**
 * They move the chain, stop production or write files: a walk through their params would be one through a node's life.
 */
const MOVERS = /^(?:debug_api|witness_node_api|snapshot_api)\./;

const node = new NodeOfMethods();
const walked = [...node.methods.values()].filter(({ name, group }) => group !== '' && !MOVERS.test(name));

/** The steps to a part of JSON. */
type Place = readonly (string | number)[];

/** Every place in params: each member and each item, however deep. */
function listPlaces(json: Json, path: Place = []): Place[] {
  const parts: [string | number, Json][] = Array.isArray(json)
    ? [...json.entries()]
    : isJsonObject(json)
      ? Object.entries(json)
      : [];
  const found: Place[] = [];
  for (const [step, part] of parts) {
    const place = [...path, step];
    found.push(place, ...listPlaces(part, place));
  }
  return found;
}

/** Stands in the text of a call for what is put there. */
const HOLE = 'h-o-l-e';

/** The params with a hole at a place, which a text then fills; with '' the member or item is left out. */
function withHole(json: Json, [step, ...rest]: Place, isLeftOut: boolean): Json {
  if (step === undefined) return HOLE;
  if (Array.isArray(json)) {
    return json.flatMap((item, k) =>
      k !== step ? [item] : rest.length === 0 && isLeftOut ? [] : [withHole(item, rest, isLeftOut)],
    );
  }
  assert.ok(isJsonObject(json));
  const members = Object.entries(json).flatMap(([name, member]) =>
    name !== step
      ? [[name, member]]
      : rest.length === 0 && isLeftOut
        ? []
        : [[name, withHole(member, rest, isLeftOut)]],
  );
  return Object.fromEntries(members);
}

/**
 * The texts of calls of a method: its example as it is, without a part, with an unknown member, and with odd values in
 * every place.
 */
function* makeCalls({ name, example }: Method, next: () => string): Generator<string> {
  const { params } = example;
  const body = (text: string): string => `{"jsonrpc":"2.0","id":1,"method":"${name}","params":${text}}`;
  yield body(writeJson(params));
  assert.ok(isJsonObject(params));
  yield body(writeJson({ ...params, unknown: 1 }));
  // A param that may be left out has places too.
  const given = Object.fromEntries(paramNames(name).map((param) => [param, params[param] ?? null]));
  for (const place of listPlaces(given)) {
    yield body(writeJson(withHole(given, place, true)));
    const text = writeJson(withHole(given, place, false));
    for (let k = 0; k < AT_EACH_PLACE; k++) yield body(text.replace(`"${HOLE}"`, () => next()));
  }
}

function paramNames(name: string): readonly string[] {
  return present(node.methods.get(name), name).paramNames;
}

test('a call is accepted if and only if its params are as declared: every method, with odd values in every place', async () => {
  let at = 0;
  const next = (): string => oddTexts[at++ % oddTexts.length] ?? 'null';
  for (const method of walked) {
    for (const body of makeCalls(method, next)) {
      const fault = await findFault(node, Buffer.from(body));
      if (fault !== undefined) assert.fail(`${body}\n${fault}`);
    }
  }
  const { accepted, refused } = node.declaredCalls.counts;
  assert.ok(accepted > 500 && refused > 1000, `${accepted} accepted, ${refused} refused`);
});

test('a kind of operation is taken by each of its names, and by no other', async () => {
  const method = 'account_history_api.enum_virtual_ops';
  for (const { name, isVirtual } of Object.values(operationKinds)) {
    for (const [given, isName] of [
      [name, true],
      [`${name}_operation`, true],
      [`${name}_operation_operation`, false],
      [name.toUpperCase(), false],
    ] as const) {
      // The node itself compares each of its answers with what is declared.
      const { error } = await node.call(method, { block_range_begin: 1, block_range_end: 2, filter: [given] });
      assert.equal(error === undefined, isName && isVirtual, given);
    }
  }
});

/**
 * Texts of a limit of bytes: the longest that is taken, one of a character more, and one of fewer characters and more
 * bytes.
 */
function boundaryTexts(most: number): { taken: string; longer: string; wider: string } {
  return { taken: 'a'.repeat(most), longer: 'a'.repeat(most + 1), wider: '€'.repeat(Math.floor(most / 3) + 1) };
}

test('a text of more bytes than are taken is refused by its own name, also where its characters are as declared', async () => {
  const makeTransfer = (memo: string): Json => [
    'transfer',
    { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo },
  ];
  const makeApplication = (members: { [member: string]: Json }): Json => [
    'application_create',
    { author: 'alice', name: 'chat', url: 'u', metadata: '', price_param: 0, ...members },
  ];
  const kinds: readonly (readonly [number, string, (text: string) => Json])[] = [
    [MAX_MEMO_BYTES - 1, 'memo_too_large', makeTransfer],
    [MAX_URL_BYTES, 'url_too_long', (url) => makeApplication({ url })],
    [MAX_APPLICATION_NAME_BYTES, 'name_too_long', (name) => makeApplication({ name })],
  ];
  for (const [most, code, operationOf] of kinds) {
    const { taken, longer, wider } = boundaryTexts(most);
    for (const method of [
      'alexandria_api.calculate_fee',
      'database_api.get_transaction_hex',
      'network_broadcast_api.broadcast_transaction',
    ]) {
      const params = (text: string): Json =>
        method.endsWith('fee')
          ? { op: operationOf(text), symbol: 'COIN' }
          : { trx: { ...sampleTransaction, operations: [operationOf(text)] } };
      const errorCode = async (text: string): Promise<unknown> =>
        (await node.call(method, params(text))).error?.data?.['name'];
      const isDeclared = (text: string): boolean =>
        node.declaredCalls.findCallFault(method, JSON.parse(writeJson(params(text)))) === '';
      assert.notEqual(await errorCode(taken), code, method);
      assert.deepEqual([await errorCode(longer), await errorCode(wider)], [code, code], method);
      assert.deepEqual(
        [isDeclared(taken), isDeclared(longer), isDeclared(wider)],
        [true, false, true],
        `${method} ${code}`,
      );
    }
  }
});

test('the calls that the documents show are as declared', () => {
  const shown = Object.entries(samples.methods).filter(([name]) => name.includes('.') && node.methods.has(name));
  assert.ok(shown.length > 100);
  for (const [name, { params }] of shown)
    assert.equal(node.declaredCalls.findCallFault(name, JSON.parse(writeJson(params))), '', name);
});

test('a call that is accepted although it is not as declared does not pass, nor one that is refused although it is', () => {
  const { declaredCalls } = node;
  const method = 'alexandria_api.get_account_name_from_seed';
  const refusal = {
    error: {
      code: -32602,
      message: 'Invalid params: seed: a text expected',
      data: { name: 'bad_value', member: 'seed' },
    },
  };
  declaredCalls.check(method, { seed: 'alice' }, {});
  declaredCalls.check(method, { seed: 1 }, refusal);
  assert.throws(() => declaredCalls.check(method, { seed: 1 }, {}), /accepted, but not as declared/);
  assert.throws(() => declaredCalls.check(method, {}, {}), /accepted, but not as declared/);
  assert.throws(() => declaredCalls.check(method, { seed: 'a', more: 1 }, {}), /accepted, but not as declared/);
  assert.throws(() => declaredCalls.check(method, { seed: 'alice' }, refusal), /as declared, but refused/);
});
