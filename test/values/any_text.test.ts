import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { ByteReader, ByteWriter, textBytes, textOfBytes } from '../../src/codec/bytes.ts';
import { DecodeError } from '../../src/codec/decode_error.ts';
import { readJson } from '../../src/codec/json_reader.ts';
import { textWriterOf } from '../../src/codec/json_text.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { anyText } from '../../src/values/any_text.ts';
import { notation } from '../builders/chain.ts';

/** Bytes of texts and of none: broken and overlong sequences, surrogates, controls, NUL, marks of direction. */
const pieces = ['', '00', '61', 'c3bc', 'ff', '80', 'c3', 'c080', 'eda080', 'edb280', 'f4908080', 'efbfbd', 'c285', 'e280ae', 'f09f9b92'];

function comesBack(bytes: Buffer): void {
  const out = new ByteWriter();
  out.varint(bytes.length);
  out.bytes(bytes);
  const value = anyText.read(new ByteReader(out.view()));
  const written = textWriterOf(anyText)(value, notation);
  assert.equal(written, writeJson(anyText.toJson(value, notation)), 'both writers agree');
  const json = readJson(Buffer.from(written));
  assert.equal(typeof json === 'string', value.isWellFormed());
  assert.deepEqual(Buffer.from(textBytes(anyText.fromJson(json, notation))), bytes);
}

test('any bytes come back from JSON that our own reader takes', () => {
  for (const first of pieces) for (const second of pieces) comesBack(Buffer.from(first + second, 'hex'));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => comesBack(Buffer.from(bytes))));
});

test('a text has one form only', () => {
  assert.equal(textWriterOf(anyText)(textOfBytes(Buffer.from('7aff', 'hex')), notation), '{"hex":"7aff"}');
  for (const json of [
    { hex: '7a' },
    { hex: '' },
    { hex: '7af' },
    { hex: 'zz' },
    { hex: '7aff', more: 1 },
    { hex: 1 },
    {},
    ['7aff'],
    null,
    1,
  ])
    assert.throws(() => anyText.fromJson(json, notation), DecodeError, JSON.stringify(json));
});
