import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import {
  optional,
  orderedMap,
  orderedSet,
  pair,
  vector,
  withDefault,
  withCoinName,
} from '../../src/codec/collections.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { text, u32, u8 } from '../../src/codec/primitives.ts';
import { struct } from '../../src/codec/struct.ts';
import { profiles } from '../../src/values/profile.ts';

const encoding: EncodingOptions = {
  ...present(profiles['lineage'], 'the lineage profile'),
  dialect: 'default',
  operationForm: 'pair',
};
const legacy: EncodingOptions = { ...encoding, dialect: 'legacy' };
const natural = (a: number, b: number): number => a - b;

const codec = struct(
  { id: withDefault(u8, 30), coin_name: withCoinName(text), note: optional(text), list: vector(struct({ x: u32 })) },
  { ignored: /^old_/ },
);

test('members stand one after another, absent ones take a byte', () => {
  const out = new ByteWriter();
  codec.write(out, { id: 7, coin_name: 'a', note: undefined, list: [{ x: 1 }] });
  assert.equal(Buffer.from(out.view()).toString('hex'), '070161000101000000');
  assert.deepEqual(codec.read(new ByteReader(out.view())), {
    id: 7,
    coin_name: 'a',
    note: undefined,
    list: [{ x: 1 }],
  });
});

test('JSON leaves absent members out and carries the coin’s name in names', () => {
  assert.deepEqual(codec.toJson({ id: 7, coin_name: 'a', note: undefined, list: [] }, encoding), {
    id: 7,
    sophiatx_name: 'a',
    list: [],
  });
  assert.deepEqual(codec.fromJson({ sophiatx_name: 'a', note: null }, encoding), {
    id: 30,
    coin_name: 'a',
    note: undefined,
    list: [],
  });
});

test('unknown members are refused by name in the default dialect, except those that mean nothing', () => {
  assert.throws(() => codec.fromJson({ colour: 1 }, encoding), {
    code: 'bad_value',
    message: /^colour: unknown member; known are id, sophiatx_name, note, list$/,
  });
  assert.throws(() => codec.fromJson({ toString: 1 }, encoding), {
    code: 'bad_value',
    message: /^toString: unknown member/,
  });
  assert.deepEqual(codec.fromJson({ old_thing: 1 }, encoding), codec.initial(encoding));
  assert.deepEqual(codec.fromJson({ colour: 1 }, legacy), codec.initial(encoding));
});

test('a mismatch names the way to it', () => {
  assert.throws(() => codec.fromJson({ list: [{ x: 1 }, { x: -1 }] }, encoding), {
    message: 'list[1].x: an integer from 0 to 4294967295 expected, got -1',
  });
  assert.throws(() => codec.fromJson({ list: 'no' }, encoding), { message: 'list: an array expected, got "no"' });
  for (const json of [null, [], 1, 'x']) assert.throws(() => codec.fromJson(json, encoding), { code: 'bad_value' });
});

test('sets and maps are sorted and unique, however they come', () => {
  const set = orderedSet(u8, natural);
  const map = orderedMap(u8, text, natural);
  assert.deepEqual(set.read(new ByteReader(Uint8Array.of(4, 3, 1, 3, 2))), [1, 2, 3]);
  assert.deepEqual(set.fromJson([3, 1, 3], encoding), [1, 3]);
  assert.deepEqual(
    map.fromJson(
      [
        [2, 'b'],
        [1, 'a'],
        [2, 'c'],
      ],
      encoding,
    ),
    [
      [1, 'a'],
      [2, 'b'],
    ],
  );
  assert.throws(() => map.fromJson({ 1: 'a' }, encoding), { code: 'bad_value' });
});

test('a count that cannot follow is refused before anything is read', () => {
  for (const hex of ['ffffffff0f', '0501', '02']) {
    assert.throws(() => vector(u8).read(new ByteReader(Buffer.from(hex, 'hex'))), { code: 'malformed_bytes' });
  }
});

test('pairs are arrays of two', () => {
  assert.deepEqual(pair(u8, text).fromJson([1, 'a'], encoding), [1, 'a']);
  for (const json of [[], [1], [1, 'a', 2], { 0: 1, 1: 'a' }])
    assert.throws(() => pair(u8, text).fromJson(json, encoding), { code: 'bad_value' });
  assert.throws(() => pair(u8, text).fromJson([1, 2], encoding), { message: '[1]: a text expected, got 2' });
});

test('an optional value starts with 00 or 01', () => {
  assert.throws(() => optional(u8).read(new ByteReader(Uint8Array.of(2, 1))), { code: 'malformed_bytes' });
});
