import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../../src/base/refusal.ts';
import type { Json } from '../../src/codec/json.ts';
import { readJson, readJsonExactly, readJsonText } from '../../src/codec/json_reader.ts';
import { JsonScanner } from '../../src/codec/json_scanner.ts';
import { writeJson } from '../../src/codec/json_writer.ts';

// The corpus: about two thirds of nst/JSONTestSuite test_parsing (MIT licence), see the note inside the file.
const corpusFile = new URL('../../../test/codec/json_parsing.corpus.json', import.meta.url);
const corpus: { files: Record<string, string> } = JSON.parse(readFileSync(corpusFile, 'utf8'));
const deep = new JsonScanner(1024);

function verdict(bytes: Uint8Array): 'read' | 'refused' {
  try {
    readJson(bytes, 0, bytes.length, deep);
    return 'read';
  } catch (error) {
    assert.ok(error instanceof Refusal, `not a refusal: ${String(error)}`);
    assert.match(error.code, /^json_/);
    return 'refused';
  }
}

test('the published corpus is read and refused as it says', () => {
  assert.ok(Object.keys(corpus.files).length > 150);
  for (const [name, base64] of Object.entries(corpus.files)) {
    const result = verdict(Buffer.from(base64, 'base64'));
    // The standard leaves duplicate members to the reader; the corpus accepts them, we do not.
    if (name.startsWith('y_object_duplicated_key')) assert.equal(result, 'refused', name);
    else if (name.startsWith('y_')) assert.equal(result, 'read', name);
    else if (name.startsWith('n_')) assert.equal(result, 'refused', name);
  }
});

function assertRefused(text: string | Uint8Array, code: string, message?: RegExp): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  assert.throws(
    () => readJson(bytes),
    (error) =>
      error instanceof Refusal && error.code === code && (message === undefined || message.test(error.message)),
    `${String(text)} should be refused with ${code}`,
  );
}

test('a refusal says what was expected and at which byte', () => {
  assertRefused('{"a":1,}', 'json_unexpected', /name of a member in quotes at byte 7$/);
  assertRefused('[1 2]', 'json_unexpected', /"," or "]" at byte 3$/);
  assertRefused('{"a" 1}', 'json_unexpected', /":" at byte 5$/);
  assertRefused('{"a":1', 'json_unfinished', /byte 6/);
  assertRefused('', 'json_unfinished', /a value/);
  assertRefused('1 2', 'json_trailing', /byte 2$/);
  assertRefused('"a\nb"', 'json_control_character', /byte 2$/);
  assertRefused('"\\x"', 'json_invalid_escape', /byte 1$/);
  assertRefused('"\\u12g4"', 'json_invalid_escape', /byte 1$/);
  assertRefused('01', 'json_unexpected');
  assertRefused('NaN', 'json_unexpected');
  assertRefused('nul', 'json_unfinished');
});

test('half a surrogate pair is refused, a whole one is read', () => {
  assertRefused('"\\ud800"', 'json_lone_surrogate');
  assertRefused('"\\udc00\\ud800"', 'json_lone_surrogate');
  assertRefused('"\\ud800\\u0041"', 'json_lone_surrogate');
  assert.equal(readJsonText('"\\ud83d\\ude00"'), '😀');
});

test('bytes that are not UTF-8 and a byte order mark are refused', () => {
  for (const bad of [
    [0x80],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0xe2, 0x82],
  ]) {
    assertRefused(Uint8Array.from([0x22, ...bad, 0x22]), 'json_invalid_utf8');
  }
  assertRefused(Uint8Array.from([0xef, 0xbb, 0xbf, 0x31]), 'json_byte_order_mark');
});

test('a duplicate member is named together with the object that holds it', () => {
  assertRefused(
    '{"a":1,"a":2}',
    'json_duplicate_member',
    /"a" stands twice in the outermost object, the second time at byte 7$/,
  );
  assertRefused('{"x":[0,{"b":1,"\\u0062":2}]}', 'json_duplicate_member', /"b" stands twice in x\[1\]/);
  assertRefused('{"x":99999999999999999999,"x":1}', 'json_duplicate_member');
  assertRefused('{"__proto__":1,"__proto__":2}', 'json_duplicate_member');
});

test('nesting beyond the limit is refused before anything is built', () => {
  assert.ok(Array.isArray(readJsonText('['.repeat(32) + ']'.repeat(32))));
  assertRefused('['.repeat(33) + ']'.repeat(33), 'json_too_deep', /more than 32 levels/);
  assertRefused('['.repeat(1_000_000), 'json_too_deep');
  assertRefused('{"a":'.repeat(1_000_000), 'json_too_deep');
});

test('integers are exact whatever their size, other numbers are finite', () => {
  assert.equal(readJsonText('9007199254740991'), 9007199254740991);
  assert.equal(readJsonText('9007199254740993'), 9007199254740993n);
  assert.equal(readJsonText('-9223372036854775808'), -9223372036854775808n);
  assert.deepEqual(readJsonText('{"a":18446744073709551615}'), { a: 18446744073709551615n });
  assert.ok(Object.is(readJsonText('-0'), 0));
  assert.ok(Object.is(readJsonText('-0.0'), 0));
  assert.equal(readJsonText('1e2'), 100);
  assertRefused('1e400', 'json_number_too_large');
  assertRefused('9'.repeat(101), 'json_number_too_long');
});

test('a member called __proto__ is a member and changes no prototype', () => {
  for (const text of ['{"__proto__":{"admin":true}}', '{"__proto__":{"admin":12345678901234567890}}']) {
    const value = readJsonText(text);
    assert.ok(typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'));
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal('admin' in value, false);
  }
});

test('a range of a larger buffer is read and nothing beyond it', () => {
  const bytes = Buffer.from('xx[1,23]yy');
  assert.deepEqual(readJson(bytes, 2, 8), [1, 23]);
  assert.throws(() => readJson(bytes, 2, 7), Refusal);
  assert.equal(readJson(bytes, 5, 6), 2);
});

const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.string({ unit: 'binary' }),
    fc.constantFrom('__proto__', '', '\u2028', '"\\'),
    fc.integer(),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 128n }),
    fc.bigInt({ min: -(2n ** 128n), max: -(2n ** 53n) }),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((x) => (x === 0 ? 0 : x))
      .filter((x) => !Number.isInteger(x) || Number.isSafeInteger(x)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value;

test('what was written is read again, by the fast way and by the exact way', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const bytes = Buffer.from(writeJson(value));
      assert.deepEqual(readJson(bytes), value);
      assert.deepEqual(readJsonExactly(bytes), value);
    }),
    { numRuns: 500 },
  );
});

test('both ways give the same verdict and value for damaged texts', () => {
  const damaged = fc.tuple(anyJson, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([value, position, byte]) => {
    const bytes = Buffer.from(writeJson(value));
    bytes[position % bytes.length] = byte;
    return bytes;
  });
  fc.assert(
    fc.property(damaged, (bytes) => {
      assert.deepEqual(
        outcome(() => readJson(bytes)),
        outcome(() => readJsonExactly(bytes)),
      );
      // Whatever is read here, JSON.parse reads as well: the scanner is no more lenient than the standard.
      if (verdict(bytes) === 'read') JSON.parse(bytes.toString('utf8'));
    }),
    { numRuns: 1000 },
  );
});

function outcome(read: () => Json): Json {
  try {
    return { value: read() };
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return { code: error.code, message: error.message };
  }
}
