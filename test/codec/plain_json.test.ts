import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { ByteWriter } from '../../src/codec/bytes.ts';
import { optional, orderedSet, vector, withDefault, withCoinName } from '../../src/codec/collections.ts';
import { readJson } from '../../src/codec/json_reader.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { PlainJson } from '../../src/codec/plain_json.ts';
import { bool, fixedHex, hexBytes, i64, text, u16, u32, u64, u8 } from '../../src/codec/primitives.ts';
import { struct } from '../../src/codec/struct.ts';
import { profiles } from '../../src/values/profile.ts';

const encoding: EncodingOptions = {
  ...present(profiles['lineage'], 'the lineage profile'),
  dialect: 'default',
  operationForm: 'pair',
};

const codec = struct({
  id: withDefault(u8, 30),
  coin_name: withCoinName(text),
  note: optional(text),
  flag: bool,
  sizes: struct({ a: u16, b: u32, c: u64, d: i64 }),
  list: vector(struct({ x: u32 })),
  set: orderedSet(u8, (a, b) => a - b),
  data: hexBytes,
  hash: fixedHex(2),
});

const whole =
  '{"id":7,"sophiatx_name":"a","note":"b","flag":true,"sizes":{"a":1,"b":2,"c":3,"d":4},"list":[{"x":1},{"x":2}],"set":[9],"data":"0aFF","hash":"00ff"}';

function copied(json: string): string | undefined {
  const from = new PlainJson(Buffer.from(json));
  const out = new ByteWriter();
  return codec.fromJson.copy?.(from, out, encoding) === true && from.ends() ? hex(out) : undefined;
}

function read(json: string): string | undefined {
  const out = new ByteWriter();
  try {
    codec.write(out, codec.fromJson(readJson(Buffer.from(json)), encoding));
  } catch (refusal) {
    assert.ok(refusal instanceof Refusal, String(refusal));
    return undefined;
  }
  return hex(out);
}

function hex(out: ByteWriter): string {
  return Buffer.from(out.view()).toString('hex');
}

/** Copied to the same bytes that reading and writing gives. */
function assertCopied(json: string): void {
  assert.notEqual(copied(json), undefined, json);
  assert.equal(copied(json), read(json), json);
}

test('plain text is copied into the bytes of its value, with members left out and with white space', () => {
  assertCopied(whole);
  assertCopied('{}');
  assertCopied('{"id":0,"hash":"abCD"}');
  assertCopied('{"note":"","list":[],"set":[]}');
  assertCopied(
    whole
      .replaceAll(':', ' : ')
      .replaceAll(',', '\n, \t')
      .replaceAll('{', ' { ')
      .replaceAll('}', ' } ')
      .replaceAll('[', '[ '),
  );
  assertCopied(`{"list":[${Array.from({ length: 127 }, () => '{"x":4294967295}').join()}]}`);
  assertCopied('{"note":"\\u0061\\n\\"\\\\\\/é\\ud83d\\ude00😀"}');
  assertCopied('{"sophiatx_name":"a","id":7}');
  assertCopied('{"hash":"00ff","sizes":{"d":4,"b":2,"a":1},"flag":true,"note":"b","id":7}');
  assertCopied('{"sizes":{"a":65535,"b":0,"c":999999999999999,"d":10}}');
});

test('what is written in another way is left to whoever reads it', () => {
  const others = [
    '{"note":null}',
    '{"data":"0\\u0061"}',
    '{"set":[2,1]}',
    '{"sizes":{"c":"3"}}',
    '{"sizes":{"d":-4}}',
    '{"sizes":{"c":9999999999999999}}',
    '{"id":7.0}',
    '{"flag":1}',
    `{"list":[${Array.from({ length: 128 }, () => '{}').join()}]}`,
  ];
  for (const json of others) {
    assert.equal(copied(json), undefined, json);
    assert.notEqual(read(json), undefined, json);
  }
});

test('what is wrong is not copied', () => {
  const wrong = [
    '',
    '{',
    `${whole}x`,
    '{"id":7,}',
    '{"note":"b","id":7,}',
    '{"note":"b","id":7,"note":"b"}',
    '{"note":"b""id":7}',
    '{,"id":7}',
    '{"id":07}',
    '{"id":- 7}',
    '{"id":256}',
    '{"id":7 "flag":true}',
    '{"id":7,"id":7}',
    '{"id" 7}',
    '{"flag":truex}',
    '{"flag":tru',
    '{"list":[,{"x":1}]}',
    '{"list":[{"x":1},]}',
    '{"list":[{"x":1} {"x":2}]}',
    '{"list":[{"x":1}}',
    '{"note":"a',
    '{"note":"\u0001"}',
    '{"note":"\\x"}',
    '{"note":"\\ud83d"}',
    '{"note":"\\u00"}',
    '{"note":"é',
    '{"data":"0"}',
    '{"data":"0g"}',
    '{"hash":"00"}',
    '{"unknown":1}',
  ];
  for (const json of wrong) {
    assert.equal(copied(json), undefined, json);
    assert.equal(read(json), undefined, json);
  }
});

test('bytes that are no UTF-8 are not copied', () => {
  const from = new PlainJson(Buffer.from('{"note":"\xe9"}', 'latin1'));
  assert.equal(codec.fromJson.copy?.(from, new ByteWriter(), encoding), false);
});

test('whatever is copied after a mistake is what reading gives', () => {
  const edit = fc.record({
    at: fc.nat({ max: whole.length }),
    cut: fc.nat({ max: 3 }),
    put: fc.constantFrom(...'{}[]":,. 0123456789-eatrufls\\', ''),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
      let json = whole;
      for (const { at, cut, put } of edits) json = json.slice(0, at) + put + json.slice(at + cut);
      const bytes = copied(json);
      if (bytes !== undefined) assert.equal(bytes, read(json), json);
    }),
    { numRuns: 3000 },
  );
});
