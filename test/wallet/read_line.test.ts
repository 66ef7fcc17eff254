import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../../src/base/refusal.ts';
import { readBrackets, readLine } from '../../src/wallet/read_line.ts';

const texts = (line: string): unknown[] => readLine(line).map((word) => (word.kind === 'json' ? word.json : word.text));

test('words are separated by blanks, quotes keep blanks, commas are tolerated', () => {
  assert.deepEqual(texts('transfer alice bob "10.000 COIN" "a \\"memo\\"" true'), [
    'transfer',
    'alice',
    'bob',
    '10.000 COIN',
    'a "memo"',
    'true',
  ]);
  assert.deepEqual(texts('  a,b , c  '), ['a', 'b', 'c']);
  assert.deepEqual(texts(`x '{"a":1}' ws://localhost:1/ -1`), ['x', '{"a":1}', 'ws://localhost:1/', '-1']);
  assert.deepEqual(texts(''), []);
});

test('arrays and objects may be written with bare words', () => {
  assert.deepEqual(texts('f [bob, carol] {weight_threshold:1,"key_auths":[[PHR6, 1]],a:true,b:null}'), [
    'f',
    ['bob', 'carol'],
    { weight_threshold: 1, key_auths: [['PHR6', 1]], a: true, b: null },
  ]);
  assert.deepEqual(readBrackets('[9007199254740993]'), [9007199254740993n]);
  assert.equal(readBrackets('text'), undefined);
});

test('any JSON is read as what it is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
      const text = JSON.stringify(value, (_, each: unknown) =>
        typeof each === 'number' && !Number.isSafeInteger(each) ? 0 : each,
      );
      assert.equal(JSON.stringify(readBrackets(text)), JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('whatever is typed ends in words or a refusal', () => {
  const characters = fc.constantFrom(...'abc019 -"\'[]{}:,\\\\u\t@.>', '\u0000', 'é', '😀');
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: characters, maxLength: 200 })),
      (line) => {
        try {
          readLine(line);
        } catch (error) {
          assert.ok(error instanceof Refusal, String(error));
        }
      },
    ),
    { numRuns: 5000 },
  );
});

test('brackets are not followed into the depth', () => {
  assert.throws(() => readLine('['.repeat(100_000)), Refusal);
});
