import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonPieces, jsonText } from '../../src/values/json_pieces.ts';

function kinds(text: string): string[] {
  return jsonPieces(text).flatMap(({ kind, text: piece }) => (kind === 'mark' ? [] : [`${kind} ${piece}`]));
}

test('JSON is split into names, texts, numbers and words', () => {
  const value = { from: 'alice', 'a "name"': 'x: 1, "y": \\', n: [-1.5e9, 0], is: [true, null] };
  assert.deepEqual(kinds(JSON.stringify(value)), [
    'name "from"',
    'text "alice"',
    'name "a \\"name\\""',
    'text "x: 1, \\"y\\": \\\\"',
    'name "n"',
    'number -1500000000',
    'number 0',
    'name "is"',
    'word true',
    'word null',
  ]);
});

test('no piece of a text is lost, whether it is JSON or not', () => {
  const long = JSON.stringify({ memo: `${'\\"'.repeat(20_000)}\u202e` }, undefined, 2);
  for (const text of ['', '{', '"open', 'nope', '1e', '\\"', '{"a" :\n"b"}', long])
    assert.equal(
      jsonPieces(text)
        .map((piece) => piece.text)
        .join(''),
      text,
    );
});

test('numbers above 2^53 stay whole', () => {
  assert.equal(jsonText({ id: 2n ** 64n }), '{\n  "id": "18446744073709551616"\n}');
});

test('characters that turn the direction of writing are escapes, and the JSON is the same', () => {
  const value = { memo: '\u202eevil \u2067right\u2069' };
  assert.match(jsonText(value), /"\\u202eevil \\u2067right\\u2069"/);
  assert.deepEqual(JSON.parse(jsonText(value)), value);
});
