import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MethodTimes } from '../../../src/jsonrpc/limits/method_times.ts';
import { ResponseCache, type CachedResult } from '../../../src/jsonrpc/cache/response_cache.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { sampleDispatcher } from '../sample_methods.ts';
import { isLong } from '../../builders/forms.ts';

const answer = (result: string): CachedResult => ({ result, version: 1, counts: new MethodTimes().of('a.b') });
const makeBody = (id: string, rest = '"method":"a.b"'): Buffer => Buffer.from(`{"id":${id},${rest}}`);
const ID_START = '{"id":'.length;

/** Returns the cached answer to a body that has its id in the same place as the remembered one. */
function again(remembered: Buffer, body: Buffer, idBytes = 256): string | undefined {
  const calls = new ResponseCache(idBytes);
  calls.keep(remembered, ID_START, answer('true'));
  const known = calls.find(body);
  return known && Buffer.from(calls.answer(known, body)).toString();
}

test('a call is known again by its bytes, whatever plain id it has', () => {
  for (const id of ['0', '1', '12345678901234567890', '""', '"a b"', '"one"'])
    assert.equal(again(makeBody('7'), makeBody(id)), `{"jsonrpc":"2.0","result":true,"id":${id}}`);
});

test('ids of any length follow each other', () => {
  const calls = new ResponseCache(256);
  calls.keep(makeBody('7'), ID_START, answer('"é"'));
  for (const id of ['1', '22', '3', '"four"', '5']) {
    const known = calls.find(makeBody(id)) ?? assert.fail();
    assert.equal(
      Buffer.from(calls.answer(known, makeBody(id))).toString(),
      `{"jsonrpc":"2.0","result":"é","id":${id}}`,
    );
  }
});

test('other ids and other bytes are looked at anew', () => {
  for (const id of [
    '01',
    '-1',
    '1.5',
    '1e3',
    '"a\\u0062"',
    '"é"',
    '"\u0001"',
    '"open',
    'null',
    '{}',
    '',
    ' 1',
    '1 ',
    '"x"1',
    '1"x"',
  ])
    assert.equal(again(makeBody('7'), makeBody(id)), undefined, id);
  for (const rest of ['"method":"a.c"', '"method":"a.b" ', ' "method":"a.b"', '"method":"a.b","id":2'])
    assert.equal(again(makeBody('7'), makeBody('7', rest)), undefined, rest);
  assert.equal(again(makeBody('7'), Buffer.from('{"method":"a.b","id":7}')), undefined);
  assert.equal(again(makeBody('7'), makeBody('1234'), 3), undefined);
});

test('a call is not remembered when its id stands elsewhere than the first member of that name', () => {
  const calls = new ResponseCache(256);
  const body = Buffer.from('{"params":{"id":5},"id":7}');
  calls.keep(body, body.indexOf('7'), answer('true'));
  assert.equal(calls.find(body), undefined);
});

test('long calls and long answers are not remembered', () => {
  const long = makeBody('1', `"method":"${'x'.repeat(600)}"`);
  assert.equal(again(long, long), undefined);
  const calls = new ResponseCache(256);
  calls.keep(makeBody('1'), ID_START, answer(`"${'x'.repeat(20_000)}"`));
  assert.equal(calls.find(makeBody('1')), undefined);
});

const id = fc.oneof(
  fc.integer().map(String),
  fc.nat().map((n) => `0${n}`),
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '1.5',
    '1e3',
    'null',
    'true',
    '{"id":1}',
    '"\\u0041"',
    '"é"',
    '-0',
    '',
    ' 3',
    '3 ',
    `"${'i'.repeat(260)}"`,
  ),
);

const call = fc.constantFrom<readonly [string, string]>(
  ['test_api.echo', '{}'],
  ['test_api.echo', '{"any":{"id":5}}'],
  ['test_api.echo', '{"any":"\\"id\\":1"}'],
  ['test_api.echo', '{"list":"wrong"}'],
  ['alexandria_api.get_account', '{"account_name":"alice"}'],
  ['get_account', '["alice"]'],
  ['call', '["test_api","echo",{"any":1}]'],
  ['test_api.long', '{"length":3000000}'],
  ['test_api.nothing', '{}'],
);

/** Bodies that are alike but for what comes where, of which some are no calls at all. */
const body = fc.tuple(id, call, fc.nat({ max: 5 })).map(([idText, [method, params], form]) => {
  const [a, b, c] = [`"id":${idText}`, `"method":"${method}"`, `"params":${params}`];
  const forms = [
    `${a},${b},${c}`,
    `${b},${c},${a}`,
    `${c},${a},${b}`,
    `${b},${c}`,
    `${a},${b},${c},${a}`,
    `"id" :${idText},${b},${c}`,
  ];
  return Buffer.from(`{"jsonrpc":"2.0",${forms[form] ?? ''}}`);
});

test('whoever has heard other calls before is answered as if nobody had ever asked', () => {
  const limits = { answerBytes: 1000 };
  // Nothing has to wait for its turn while no time passes.
  const clock = new HandClock(0);
  // The same bytes are asked of a new dispatcher once: to make one takes longer than to ask it.
  const first = new Map<string, unknown>();
  const unheard = (asked: Buffer): unknown => {
    const key = asked.toString('latin1');
    if (!first.has(key)) first.set(key, sampleDispatcher(limits, { clock }).dispatcher.dispatch(asked));
    return first.get(key);
  };
  fc.assert(
    fc.property(fc.array(body, { minLength: 2, maxLength: 30 }), (bodies) => {
      const { dispatcher } = sampleDispatcher(limits, { clock });
      for (const each of [...bodies, ...bodies, ...bodies]) {
        const known = dispatcher.fromCache(each);
        const given = known === undefined ? dispatcher.dispatch(each) : Buffer.from(known).toString();
        assert.equal(given, unheard(each), each.toString());
      }
    }),
    { numRuns: isLong ? 300 : 100 },
  );
});
