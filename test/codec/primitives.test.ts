import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import type { Codec } from '../../src/codec/codec.ts';
import type { Json } from '../../src/codec/json.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import {
  bool,
  fixedHex,
  hexBytes,
  i64,
  text,
  trueByDefault,
  u128,
  u16,
  u32,
  u64,
  u8,
} from '../../src/codec/primitives.ts';
import { profiles } from '../../src/values/profile.ts';
import { recording, recordedText } from '../builders/recordings.ts';

const encoding = {
  ...present(profiles['default'], 'the default profile'),
  dialect: 'default',
  operationForm: 'pair',
} as const;

function encodeHex<T>(codec: Codec<T>, value: T): string {
  const out = new ByteWriter();
  codec.write(out, value);
  return Buffer.from(out.view()).toString('hex');
}

const lineage = { ...encoding, dialect: 'legacy' } as const;

test("to the lineage's clients, large numbers are written as recorded", () => {
  const recorded: Record<string, Json> = JSON.parse(
    recordedText(recording('vectors-sdk.json'), 'node.json_numbers_text'),
  );
  const { u32max, u64_4294967296, i64_neg, i64_big, b, u8: small } = recorded;
  assert.equal(u32.toJson(4_294_967_295, lineage), u32max);
  assert.equal(u64.toJson(4_294_967_296n, lineage), u64_4294967296);
  assert.equal(i64.toJson(-9_000_000_000n, lineage), i64_neg);
  assert.equal(i64.toJson(9_000_000_000n, lineage), i64_big);
  assert.equal(bool.toJson(true, lineage), b);
  assert.equal(u8.toJson(3, lineage), small);
});

test('an integer is a number as long as every client reads it exactly, and a text beyond', () => {
  const largest = BigInt(Number.MAX_SAFE_INTEGER);
  for (const value of [0n, 4_294_967_296n, largest, -largest]) assert.equal(i64.toJson(value, encoding), Number(value));
  for (const value of [largest + 1n, -largest - 1n, 2n ** 63n - 1n, -(2n ** 63n)])
    assert.equal(i64.toJson(value, encoding), String(value));
  assert.equal(u64.toJson(2n ** 64n - 1n, encoding), String(2n ** 64n - 1n));
});

test('a large negative number is a number without loss', () => {
  assert.equal(writeJson(i64.toJson(-(2n ** 63n), lineage)), '-9223372036854775808');
});

const integers: readonly [string, Codec<bigint>, bigint, bigint, number][] = [
  ['u8', widened(u8), 0n, 2n ** 8n - 1n, 1],
  ['u16', widened(u16), 0n, 2n ** 16n - 1n, 2],
  ['u32', widened(u32), 0n, 2n ** 32n - 1n, 4],
  ['u64', u64, 0n, 2n ** 64n - 1n, 8],
  ['i64', i64, -(2n ** 63n), 2n ** 63n - 1n, 8],
  ['u128', u128, 0n, 2n ** 128n - 1n, 16],
];

function widened(codec: Codec<number>): Codec<bigint> {
  return {
    ...codec,
    freeTexts: () => [],
    write: (out, value) => codec.write(out, Number(value)),
    read: (input) => BigInt(codec.read(input)),
    toJson: (value, how) => codec.toJson(Number(value), how),
    fromJson: (json, how) => BigInt(codec.fromJson(json, how)),
    initial: () => 0n,
  };
}

for (const [name, codec, lowest, highest, bytes] of integers) {
  test(`${name}: every value comes back from its bytes and JSON, as number and as string`, () => {
    const values = fc.oneof(fc.constantFrom(lowest, highest, 0n), fc.bigInt({ min: lowest, max: highest }));
    fc.assert(
      fc.property(values, (value) => {
        const hex = encodeHex(codec, value);
        assert.equal(hex.length, bytes * 2);
        assert.equal(codec.read(new ByteReader(Buffer.from(hex, 'hex'))), value);
        for (const json of [codec.toJson(value, encoding), value.toString(), value])
          assert.equal(codec.fromJson(json, encoding), value);
      }),
    );
  });

  test(`${name}: what is out of range or no integer is refused`, () => {
    const wrong: Json[] = [
      lowest - 1n,
      highest + 1n,
      (highest + 1n).toString(),
      1.5,
      '1.0',
      '01',
      ' 1',
      '1e3',
      '0x1',
      '',
      '-',
      null,
      true,
      [],
      {},
      2 ** 53,
    ];
    for (const json of wrong.filter((one) => one !== 2 ** 53 || highest < 2n ** 53n)) {
      assert.throws(
        () => codec.fromJson(json, encoding),
        { code: 'bad_value' },
        JSON.stringify(typeof json === 'bigint' ? json.toString() : json),
      );
    }
  });
}

test('u128 has its high word first', () => assert.equal(encodeHex(u128, 1n), `${'00'.repeat(8)}01${'00'.repeat(7)}`));

test('a boolean is one byte, 00 or 01', () => {
  assert.equal(encodeHex(bool, true) + encodeHex(bool, false), '0100');
  assert.throws(() => bool.read(new ByteReader(Uint8Array.of(2))), { code: 'malformed_bytes' });
  for (const [json, value] of [
    [true, true],
    ['true', true],
    [1, true],
    [false, false],
    ['false', false],
    [0, false],
  ] as const)
    assert.equal(bool.fromJson(json, encoding), value);
  for (const json of [2, 'yes', null, []]) assert.throws(() => bool.fromJson(json, encoding), { code: 'bad_value' });
  assert.deepEqual([bool.initial(encoding), trueByDefault.initial(encoding)], [false, true]);
});

test('texts and bytes come back, and bytes are even hex digits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) =>
      assert.equal(text.read(new ByteReader(Buffer.from(encodeHex(text, value), 'hex'))), value),
    ),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const hex = Buffer.from(bytes).toString('hex');
      assert.equal(hexBytes.read(new ByteReader(Buffer.from(encodeHex(hexBytes, hex), 'hex'))), hex);
      assert.equal(hexBytes.fromJson(hex.toUpperCase(), encoding), hex);
    }),
  );
  for (const json of ['a', 'gg', '0x00', 1, null])
    assert.throws(() => hexBytes.fromJson(json, encoding), { code: 'bad_value' });
  assert.throws(() => hexBytes.read(new ByteReader(Buffer.from('ffffffff0f', 'hex'))), { code: 'malformed_bytes' });
});

test('fixed bytes have exactly their length', () => {
  const four = fixedHex(4);
  assert.equal(four.initial(encoding), '00000000');
  assert.equal(four.fromJson('DEADBEEF', encoding), 'deadbeef');
  for (const json of ['', 'deadbee', 'deadbeef00', 'deadbeeg', 1])
    assert.throws(() => four.fromJson(json, encoding), { code: 'bad_value' });
});
