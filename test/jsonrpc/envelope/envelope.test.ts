import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../../../src/base/refusal.ts';
import { readScanned } from '../../../src/codec/json_reader.ts';
import { EnvelopeScanner, type Request } from '../../../src/jsonrpc/envelope/envelope.ts';
import { defaultLimits } from '../../../src/jsonrpc/limits/limits.ts';

const scanner = new EnvelopeScanner(defaultLimits);

function only(body: Buffer): Request {
  const [element] = scanner.scan(body).elements;
  assert.ok(element?.kind === 'request');
  return element;
}

test('the parts of a request are found, whatever their order and spacing', () => {
  const body = Buffer.from(
    '\n{ "params" : [1, {"a":"}"}] ,"method":"a.b", "id" : "x\\"y" ,"extra":{}, "jsonrpc":"2.0"}\t',
  );
  const { method, id, versioned, params } = only(body);
  assert.deepEqual([method, id, versioned], ['a.b', '"x\\"y"', true]);
  assert.ok(params !== undefined);
  assert.equal(body.toString('utf8', params.start, params.end), '[1, {"a":"}"}]');
  assert.deepEqual(readScanned(body, params), [1, { a: '}' }]);
});

test('any params come out as they went in, alone and in a batch', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer(), fc.string(), (value, id, method) => {
      const params = JSON.stringify(value);
      const element = `{"id":${id},"params":${params},"method":${JSON.stringify(method)},"jsonrpc":"2.0"}`;
      for (const body of [Buffer.from(element), Buffer.from(`[1,${element} ]`)]) {
        const found = scanner.scan(body).elements.at(-1);
        assert.ok(found?.kind === 'request' && found.params !== undefined);
        assert.deepEqual([found.id, found.method], [String(id), method]);
        assert.equal(body.toString('utf8', found.params.start, found.params.end), params);
      }
    }),
  );
});

test('a body cut anywhere is refused, never half-read', () => {
  const whole = Buffer.from(
    '[{"jsonrpc":"2.0","id":-12,"method":"a.b","params":{"x":[1.5e3,"\\u00e9é",null,true]}},{"id":1}]',
  );
  for (let length = 0; length < whole.length; length++) {
    assert.throws(() => scanner.scan(whole.subarray(0, length)), Refusal, String(length));
  }
});

test('the three parts of a call are found, anything else is not', () => {
  const parts = (params: string): unknown => {
    const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"call","params":${params}}`);
    const { params: span } = only(body);
    const call = span === undefined ? undefined : scanner.readCall(body, span);
    return call && [call.method, call.params && body.toString('utf8', call.params.start, call.params.end)];
  };
  assert.deepEqual(parts('["a","b",{"c":1}]'), ['a.b', '{"c":1}']);
  assert.deepEqual(parts('[ "a" , "b" ]'), ['a.b', undefined]);
  for (const params of ['[]', '["a"]', '["a",1]', '["a","b",{},{}]', '{}', 'null', '"a.b"'])
    assert.equal(parts(params), undefined, params);
});
