import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Codec } from '../../src/codec/codec.ts';
import { optional, orderedMap, vector, withCoinName } from '../../src/codec/collections.ts';
import { textWriter } from '../../src/codec/json_text.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { bool, hexBytes, i64, text, u16, u64, u8 } from '../../src/codec/primitives.ts';
import { struct } from '../../src/codec/struct.ts';
import { present } from '../../src/base/assert.ts';
import { asset } from '../../src/values/asset.ts';
import { profiles } from '../../src/values/profile.ts';
import { time } from '../../src/values/time.ts';

const plain: EncodingOptions = {
  ...present(profiles['default'], 'the default profile'),
  dialect: 'default',
  operationForm: 'pair',
};
const legacy: EncodingOptions = { ...plain, dialect: 'legacy' };

/** Asserts that the direct text equals the text of the tree, in both dialects. */
function assertSameText<T>(codec: Codec<T>, values: readonly T[]): void {
  for (const value of values)
    for (const encoding of [plain, legacy])
      assert.equal(textWriter(codec)(value, encoding), writeJson(codec.toJson(value, encoding)));
}

test('texts are escaped as JSON.stringify escapes them, bytes that are no UTF-8 as well', () => {
  assertSameText(text, ['', 'plain', '"quoted" \\ and \n\u0000\u001f\u2028', 'é\u{1f600}', 'a\udc80b\udcff', '\ud83d']);
  assertSameText(hexBytes, ['', '00ff']);
});

test('amounts of symbols that would need escapes, and negative ones, are written alike', () => {
  const symbols = ['COIN', 'VESTS', '', 'a"b', 'back\\', '\u0001\u00ff', 'lower'];
  const amounts = [0n, 1n, -1n, 999_999n, 1_000_000n, 2n ** 63n - 1n, -(2n ** 63n)];
  assertSameText(
    asset,
    symbols.flatMap((symbol) => amounts.map((amount) => ({ amount, symbol }))),
  );
});

test('integers that clients could not read become texts in both, whatever the dialect', () => {
  const edges = [0n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n];
  assertSameText(u64, [...edges, 2n ** 64n - 1n]);
  assertSameText(i64, [...edges, ...edges.map((edge) => -edge)]);
  assertSameText(u8, [0, 255]);
  assertSameText(bool, [true, false]);
  assertSameText(time, [0, 1_800_000_000]);
});

test('absent members are left out, wherever they stand and whatever they are called', () => {
  const middle = struct({ a: u8, b: optional(text), c: vector(u8), d: optional(u8) });
  assertSameText(middle, [
    { a: 1, b: undefined, c: [], d: undefined },
    { a: 1, b: '"', c: [1, 2], d: 0 },
  ]);
  const first = struct({ a: optional(u8), b: u8 });
  assertSameText(first, [
    { a: undefined, b: 1 },
    { a: 2, b: 1 },
  ]);
  const named = struct({
    id: u8,
    coin_name: withCoinName(text),
    map: orderedMap(text, u16, (a, b) => (a < b ? -1 : 1)),
  });
  assertSameText(named, [{ id: 1, coin_name: 'x', map: [['a', 1]] }]);
  assert.equal(textWriter(struct({}))({}, plain), '{}');
});

test('a codec that replaces how its JSON is made is written that way', () => {
  const shouting: Codec<string> = { ...text, toJson: (value) => value.toUpperCase() };
  assertSameText(struct({ word: shouting, words: vector(shouting) }), [{ word: 'quiet', words: ['as', 'a', 'mouse'] }]);
});
