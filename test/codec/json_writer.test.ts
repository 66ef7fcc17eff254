import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionFailure } from '../../src/base/assert.ts';
import { writeJson } from '../../src/codec/json_writer.ts';

test('members keep their order and nothing is blank', () => {
  assert.equal(writeJson({ b: 1, a: [true, null, 'x'] }), '{"b":1,"a":[true,null,"x"]}');
});

test('escapes are the short ones, other control characters are four hex digits, the rest is copied', () => {
  assert.equal(writeJson('\b\f\n\r\t\\"/\u0001\u001f\u007fé😀'), '"\\b\\f\\n\\r\\t\\\\\\"/\\u0001\\u001f\u007fé😀"');
});

test('a bigint is written as plain digits, wherever it stands', () => {
  assert.equal(writeJson(18446744073709551615n), '18446744073709551615');
  assert.equal(writeJson({ a: [-9223372036854775808n], 'b"': 'x' }), '{"a":[-9223372036854775808],"b\\"":"x"}');
});

test('a number that is not finite is our own mistake', () => {
  assert.throws(() => writeJson([Number.NaN]), AssertionFailure);
});
