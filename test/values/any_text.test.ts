import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';

import { ByteReader, ByteWriter, textBytes, textOfBytes } from '../../src/codec/bytes.ts';
import type { JsonSchema } from '../../src/codec/codec.ts';
import { DecodeError } from '../../src/codec/decode_error.ts';
import { readJson } from '../../src/codec/json_reader.ts';
import { textWriter } from '../../src/codec/json_text.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { anyText } from '../../src/values/any_text.ts';
import { encoding } from '../builders/chain.ts';

/** Bytes of texts and of none: broken and overlong sequences, surrogates, controls, NUL, marks of direction. */
const pieces = [
  '',
  '00',
  '61',
  'c3bc',
  'ff',
  '80',
  'c3',
  'c080',
  'eda080',
  'edb280',
  'f4908080',
  'efbfbd',
  'c285',
  'e280ae',
  'f09f9b92',
];

function comesBack(bytes: Buffer): void {
  const out = new ByteWriter();
  out.varint(bytes.length);
  out.bytes(bytes);
  const value = anyText.read(new ByteReader(out.view()));
  const written = textWriter(anyText)(value, encoding);
  assert.equal(written, writeJson(anyText.toJson(value, encoding)), 'both writers agree');
  const json = readJson(Buffer.from(written));
  assert.equal(typeof json === 'string', value.isWellFormed());
  assert.deepEqual(Buffer.from(textBytes(anyText.fromJson(json, encoding))), bytes);
}

test('any bytes come back from JSON that our own reader takes', () => {
  for (const first of pieces) for (const second of pieces) comesBack(Buffer.from(first + second, 'hex'));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => comesBack(Buffer.from(bytes))));
});

test('a text has one form only', () => {
  assert.equal(textWriter(anyText)(textOfBytes(Buffer.from('7aff', 'hex')), encoding), '{"hex":"7aff"}');
  for (const json of [
    { hex: '7a' },
    { hex: '' },
    { hex: '7af' },
    { hex: 'zz' },
    { hex: '7aFF' },
    { hex: '7aff', more: 1 },
    { hex: 1 },
    {},
    ['7aff'],
    null,
    1,
  ])
    assert.throws(() => anyText.fromJson(json, encoding), DecodeError, JSON.stringify(json));
});

test('the declared pattern allows hex digits if and only if they are read', () => {
  const pattern = schemaPattern(anyText.describe(encoding));
  const bytes = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((some) => Buffer.from(some.join(''), 'hex')),
    fc.array(
      fc.constantFrom(
        0,
        0x7f,
        0x80,
        0x8f,
        0x90,
        0x9f,
        0xa0,
        0xbf,
        0xc1,
        0xc2,
        0xdf,
        0xe0,
        0xe1,
        0xed,
        0xee,
        0xf0,
        0xf1,
        0xf3,
        0xf4,
        0xf5,
      ),
      {
        maxLength: 5,
      },
    ),
    fc.uint8Array({ maxLength: 6 }),
  );
  const agrees = (hex: string): void => assert.equal(pattern.test(hex), !isUtf8(Buffer.from(hex, 'hex')), hex);
  fc.assert(
    fc.property(bytes, (some) => agrees(Buffer.from(some).toString('hex'))),
    { numRuns: 5000 },
  );
  for (let first = 0; first < 256; first++)
    for (let second = 0; second < 256; second++) agrees(Buffer.of(first, second, 0x80, 0x80).toString('hex'));
});

function schemaPattern(schema: JsonSchema): RegExp {
  const found = /"pattern":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(schema))?.[1];
  return new RegExp(String(JSON.parse(found ?? assert.fail('no pattern is declared'))), 'u');
}
