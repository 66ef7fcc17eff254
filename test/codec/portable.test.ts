import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { unlessRefused } from '../../src/base/refusal.ts';
import { optional, vector } from '../../src/codec/collections.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import { neutralEncoding } from '../../src/codec/encoding_options.ts';
import type { Json } from '../../src/codec/json.ts';
import { readJson } from '../../src/codec/json_reader.ts';
import * as portable from '../../src/codec/portable/buffer.ts';
import * as portableReader from '../../src/codec/portable/json_reader.ts';
import { compile, copier } from '../../src/codec/portable/straight_line.ts';
import { text, u32, u64 } from '../../src/codec/primitives.ts';
import { struct } from '../../src/codec/struct.ts';

// What pharos-client takes in place of Node's Buffer and of compiled functions does the same.

test('texts become the same bytes, and bytes the same texts', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: 'binary' }),
      fc.nat(40),
      fc.nat(40),
      (bytes, said, start, end) => {
        const [ours, theirs] = [portable.Buffer.from(bytes), Buffer.from(bytes)];
        for (const encoding of ['utf8', 'hex', 'latin1', 'base64'] as const) {
          assert.equal(
            ours.toString(encoding, start, Math.max(start, end)),
            theirs.toString(encoding, start, Math.max(start, end)),
            encoding,
          );
          assert.deepEqual(
            [...portable.Buffer.from(theirs.toString(encoding), encoding)],
            [...Buffer.from(theirs.toString(encoding), encoding)],
          );
        }
        assert.equal(portable.Buffer.byteLength(said), Buffer.byteLength(said));
        assert.deepEqual([...portable.Buffer.from(said, 'utf8')], [...Buffer.from(said, 'utf8')]);
        assert.equal(portable.isUtf8(bytes), isUtf8(bytes));
        assert.equal(
          portable.Buffer.compare(ours, portable.Buffer.from(said)),
          Buffer.compare(theirs, Buffer.from(said)),
        );
        assert.deepEqual([...portable.Buffer.concat([ours, ours])], [...Buffer.concat([theirs, theirs])]);
        assert.deepEqual([...ours.subarray(start, end)], [...theirs.subarray(start, end)]);
      },
    ),
  );
});

test('integers are read and written in the same places', () => {
  const [ours, theirs] = [portable.Buffer.alloc(24), Buffer.alloc(24)];
  for (const buffer of [ours, theirs]) {
    buffer.writeBigUInt64LE(0x1122334455667788n, 3);
    buffer.write('0badcafe', 12, 4, 'hex');
    buffer.write('äb', 16, 3, 'utf8');
    buffer.write('c0de', 20, 'hex');
    buffer.writeUInt32LE(0xfedc_ba98, 0);
  }
  assert.deepEqual([...ours], [...theirs]);
  assert.deepEqual(
    [ours.readUInt8(3), ours.readUInt16LE(4), ours.readUInt32LE(5), ours.readBigUInt64LE(3)],
    [theirs.readUInt8(3), theirs.readUInt16LE(4), theirs.readUInt32LE(5), theirs.readBigUInt64LE(3)],
  );
  const [a, b] = [portable.Buffer.alloc(4), Buffer.alloc(4)];
  assert.equal(ours.copy(a, 1, 3, 5), theirs.copy(b, 1, 3, 5));
  assert.deepEqual([...a], [...b]);
  assert.equal(ours.compare(theirs, 0, 24, 0, 24), 0);
  assert.deepEqual([portable.Buffer.isBuffer(ours), portable.Buffer.isBuffer(theirs)], [true, false]);
  assert.deepEqual([...portable.Buffer.of(1, 2)], [1, 2]);
  assert.equal(portable.Buffer.from(ours.buffer, ours.byteOffset, 2).length, 2);
  assert.equal(portable.Buffer.allocUnsafeSlow(5).length, 5);
});

test('a struct that was not compiled reads and writes as one that was', () => {
  const fields = { a: u32, b: vector(text), c: optional(u64) } as const;
  const compiled = struct(fields);
  const members = Object.entries(fields).map(([name, codec]) => ({ name, codec, isRequired: false }));
  const other = compile<{ a: number; b: readonly string[]; c: bigint | undefined }>(members);
  for (const value of [
    { a: 1, b: ['x', 'ä'], c: 2n ** 60n },
    { a: 0, b: [], c: undefined },
  ]) {
    const [one, two] = [new ByteWriter(), new ByteWriter()];
    compiled.write(one, value);
    other.write(two, value);
    assert.deepEqual(two.finish(), one.finish());
    assert.deepEqual(other.read(new ByteReader(one.finish())), value);
    assert.deepEqual(JSON.parse(other.text(value, neutralEncoding)), compiled.toJson(value, neutralEncoding));
  }
  const change = copier(['a', 'b'], ['b']);
  assert.deepEqual(change({ a: 1, b: 2 }, { a: 8, b: 9 }), { a: 1, b: 9 });
});

/** The value, or undefined where it is refused. */
function readBy(read: (bytes: Uint8Array) => Json, bytes: Uint8Array): Json | undefined {
  return unlessRefused(() => read(bytes));
}

const corpus: { readonly files: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(new URL('../../../test/codec/json_parsing.corpus.json', import.meta.url), 'utf8'),
);
const exactTexts = [
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9223372036854775808', '{"a":18446744073709551615}'],
  ...['-0', '-0.0', '[-0, "-0"]', '1e2', '1e400', '-1E400', '9'.repeat(100), '9'.repeat(101), '0.1234567890123456789'],
  ...['["9007199254740993", 9007199254740993]', '{"s":9007199254740993,"9007199254740993":"s\\"1"}', '{"e":"1e400"}'],
  ...[
    '{"a":1,"a":2}',
    '{"x":[0,{"b":1,"\\u0062":2}]}',
    '{"x":99999999999999999999,"x":1}',
    '{"__proto__":1,"__proto__":2}',
  ],
  ...['{"__proto__":{"admin":12345678901234567890}}', '{"a":":","b":"\\":"}', '["a" , "b"]', '{"a" :{"b"\n:[]}}'],
  ...[
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\uD83D\\uDE00"',
    '"\\\\ud800"',
    '"\\\\\\ud800"',
    '{"\\ud800":1}',
    '"\ufeff"',
    '\ufeff1',
  ],
  ...[32, 33, 1000].flatMap((levels) => [
    '['.repeat(levels) + ']'.repeat(levels),
    '{"a":'.repeat(levels) + '1' + '}'.repeat(levels),
  ]),
];

test('the language reads the same values from JSON, and refuses the same texts', () => {
  const given = [
    ...Object.values(corpus.files).map((file) => Buffer.from(file, 'base64')),
    ...exactTexts.map((each) => Buffer.from(each)),
  ];
  for (const bytes of given)
    assert.deepEqual(readBy(portableReader.readJson, bytes), readBy(readJson, bytes), bytes.toString('latin1', 0, 99));
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), fc.nat(), fc.nat(), (json, at, cut) => {
      const whole = Buffer.from(json);
      const start = at % (whole.length + 1);
      for (const bytes of [whole, Buffer.concat([whole.subarray(0, start), whole.subarray(start + (cut % 3))])])
        assert.deepEqual(readBy(portableReader.readJson, bytes), readBy(readJson, bytes));
    }),
  );
});

test('a text of many megabytes takes no longer for being wrong', () => {
  const long = '\\"'.repeat(1_000_000);
  for (const wrong of [`"${long}`, `["${long}`, '['.repeat(3_000_000), `"${long}" 1`])
    assert.equal(readBy(portableReader.readJson, Buffer.from(wrong)), undefined);
  assert.deepEqual(readBy(portableReader.readJson, Buffer.from(`["${long}"]`)), ['"'.repeat(1_000_000)]);
});
